// expect: waybill: an extractor returns its T, or a std::expected<T, waybill::error>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

class tenant {
public:
    explicit tenant(int number) : number_(number) {}

private:
    int number_;
};

template <>
struct waybill::extractor<tenant> {
    static std::expected<tenant, std::string> extract(waybill::context&);
};

void charge(const order&, tenant);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
