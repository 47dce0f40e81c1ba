/// What must hold for any bytes that are read as the fields of a message of RabbitMQ.
#pragma once

#include <cstddef>
#include <span>

namespace fuzz {

/// The first byte picks a table, an array or the properties. Throws `broken`.
void check_fields(std::span<const std::byte> input);

}  // namespace fuzz
