/// What the commands exit with.
#pragma once

namespace waybill::tool {

inline constexpr int as_expected = 0;
inline constexpr int not_as_expected = 1;  ///< or what was to be written could not be
inline constexpr int refused = 2;          ///< the file, the service or the command line

}  // namespace waybill::tool
