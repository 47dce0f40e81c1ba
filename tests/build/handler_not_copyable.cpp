// expect: waybill: this handler cannot be copied: move it in with std::move, or give std::ref of one that
// expect: kept_handler<charge, charge&>
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

struct charge {
    std::unique_ptr<int> till;
    void handle(const order&);
};

void wire(waybill::broker& broker, charge& one) {
    broker.subscribe(waybill::memory::queue("orders"), one);
}
