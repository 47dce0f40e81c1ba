// expect: waybill: bytes are a payload as they are, and no codec touches them
#include <waybill/waybill.hpp>

#include <vector>

void send(const waybill::publisher& to) { (void)to.message("orders", std::vector<std::byte>(3)); }
