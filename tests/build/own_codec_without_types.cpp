// expect: the expression 'sizeof ... (Types ...) > 0 [with Types = {}]' evaluated to 'false'
// clang: because 'sizeof...(Types) > 0' (0 > 0) evaluated to false
#include <waybill/own_codec.hpp>

const auto format = waybill::own_codec(
    "csv", "text/csv", [](std::string_view, int&) { return true; },
    [](const int&, waybill::byte_buffer&) { return true; });
