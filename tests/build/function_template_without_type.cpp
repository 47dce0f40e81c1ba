// expect: couldn't deduce template parameter 'OneFunctionSoCastAnOverloadAndGiveATemplateItsType'
// clang: couldn't infer template argument 'OneFunctionSoCastAnOverloadAndGiveATemplateItsType'

// A function template is named with its type: charge<order>.
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

template <class T>
void charge(const T&);

void wire(waybill::broker& broker) { broker.subscribe(waybill::memory::queue("orders"), charge); }
