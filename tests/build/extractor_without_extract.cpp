// expect: waybill: this extractor cannot be called: give waybill::extractor<T> a public static
// expect: handler_parameter<1, tenant>
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
    static tenant extract(const waybill::delivery&);
};

void charge(const order&, tenant);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
