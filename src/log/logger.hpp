/// Writes the structured lines that `include/waybill/log.hpp` promises. Thread-safe.
#pragma once

#include <waybill/log.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace waybill::log {

struct field {
    std::string_view key;
    std::variant<std::string_view, std::int64_t, bool> value;

    field(std::string_view name, std::string_view text) : key{name}, value{text} {}
    field(std::string_view name, const char* text) : key{name}, value{std::string_view{text}} {}
    field(std::string_view name, const std::string& text)
        : key{name}, value{std::string_view{text}} {}
    field(std::string_view name, bool flag) : key{name}, value{flag} {}
    template <class Integer>
        requires std::is_integral_v<Integer>
    field(std::string_view name, Integer number)
        : key{name}, value{static_cast<std::int64_t>(number)} {}
};

struct settings {
    log_level level = log_level::info;
    log_format format = log_format::text;
    std::function<void(std::string_view)> sink;  ///< a line without its end; empty: stderr
};

class logger {
public:
    explicit logger(settings how = {});
    ~logger();
    logger(const logger&) = delete;
    logger& operator=(const logger&) = delete;

    [[nodiscard]] bool writes(log_level level) const noexcept { return level >= level_; }
    void write(log_level level, std::string_view event, std::initializer_list<field> fields) const;

private:
    struct impl;
    log_level level_;
    std::unique_ptr<impl> impl_;
};

}  // namespace waybill::log
