/// Which of its kernels simdjson chose for this processor.
#pragma once

#include <string_view>

namespace waybill::codecs {

/// "haswell", "icelake", "westmere", "fallback", ...
[[nodiscard]] std::string_view json_kernel();

}  // namespace waybill::codecs
