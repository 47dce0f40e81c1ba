// expect: couldn't deduce template parameter 'OneFunctionSoCastAnOverloadAndGiveATemplateItsType'
// clang: couldn't infer template argument 'OneFunctionSoCastAnOverloadAndGiveATemplateItsType'
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

struct order {
    unsigned id;
};

void charge(const order&);
void charge(const order&, waybill::attempt);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
