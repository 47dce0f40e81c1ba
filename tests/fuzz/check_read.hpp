/// What must hold for any text that is read as a scenario file.
#pragma once

#include <cstddef>
#include <span>

namespace fuzz {

/// Throws `broken`.
void check_read(std::span<const std::byte> input);

}  // namespace fuzz
