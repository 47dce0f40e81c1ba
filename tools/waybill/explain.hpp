/// `waybill explain`: says what the declarations of a file mean, without running anything.
#pragma once

#include <string>

namespace waybill::tool {

struct explain_options {
    std::string file;  ///< "-": standard input
    bool json = false;
};

/// The exit code: 0, or 2 when the file or the service it declares is refused.
int explain(const explain_options& how);

}  // namespace waybill::tool
