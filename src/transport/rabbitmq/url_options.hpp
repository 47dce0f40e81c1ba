/// What the options behind the '?' of a URL say of the connection: parts to settings.
#pragma once

#include "transport/rabbitmq/settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::rabbitmq {

/// What is wrong with a part of a URL, and what to do.
struct url_mistake {
    std::string what;
    std::string fix;
};

/// A number in decimal digits and nothing else, within these bounds.
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t least,
                                                        std::uint64_t most);

/// The key where it is an option's, else "an option": a password with a raw '?' would show as one.
[[nodiscard]] std::string_view shown_option(std::string_view key);
/// Takes one into the settings, whose scheme is known already. The mistake quotes neither the value
/// nor a key that there is not.
[[nodiscard]] std::optional<url_mistake> take_option(connection_settings& to, std::string_view key,
                                                     const std::string& value);

}  // namespace waybill::rabbitmq
