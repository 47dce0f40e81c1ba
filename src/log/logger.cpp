#include "log/logger.hpp"

#include "message/failure_record.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdio>
#include <mutex>
#include <utility>

namespace waybill::log {
namespace {

/// Hands each line to the function that the app named.
class function_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit function_sink(std::function<void(std::string_view)> take) : take_{std::move(take)} {}

private:
    void sink_it_(const spdlog::details::log_msg& line) override {
        try {
            take_({line.payload.data(), line.payload.size()});
        } catch (...) {
            // Nobody above can do anything about it, and the line is not to be lost.
            std::fprintf(stderr, "%.*s\n", static_cast<int>(line.payload.size()),
                         line.payload.data());
        }
    }
    void flush_() override {}

    std::function<void(std::string_view)> take_;
};

constexpr std::size_t longest_value = 1024;

std::string_view name_of(log_level level) {
    switch (level) {
        case log_level::debug:
            return "debug";
        case log_level::info:
            return "info";
        case log_level::warning:
            return "warning";
        case log_level::error:
            return "error";
        case log_level::off:
            return "off";
    }
    return "off";
}

spdlog::level::level_enum for_spdlog(log_level level) {
    switch (level) {
        case log_level::debug:
            return spdlog::level::debug;
        case log_level::info:
            return spdlog::level::info;
        case log_level::warning:
            return spdlog::level::warn;
        case log_level::error:
            return spdlog::level::err;
        case log_level::off:
            return spdlog::level::off;
    }
    return spdlog::level::off;
}

std::string now_text() {
    const auto now = std::chrono::system_clock::now();
    const auto part =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() %
        1000;
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(now)), part);
}

/// The code of the control character or line separator that begins at `at` of valid UTF-8, with its
/// length; 0 when it is none. Terminals obey some, and readers of lines break at others.
std::pair<unsigned, std::size_t> control_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t offset) {
        return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0U;
    };
    if (byte(0) < 0x20 || byte(0) == 0x7F) return {byte(0), 1};
    if (byte(0) == 0xC2 && byte(1) < 0xA0) return {byte(1), 2};
    if (byte(0) == 0xE2 && byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9)) {
        return {0x2000 + (byte(2) & 0x3F), 3};
    }
    return {0, 0};
}

void append_quoted(std::string& line, std::string_view text) {
    line += '"';
    for (std::size_t at = 0; at < text.size();) {
        if (const auto [code, length] = control_at(text, at); length != 0) {
            if (code == '\n') {
                line += "\\n";
            } else {
                fmt::format_to(std::back_inserter(line), "\\u{:04x}", code);
            }
            at += length;
            continue;
        }
        if (text[at] == '"' || text[at] == '\\') line += '\\';
        line += text[at++];
    }
    line += '"';
}

bool needs_quotes(std::string_view text) {
    if (text.empty() || text.find_first_of(" =\"\\") != text.npos) return true;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (control_at(text, at).second != 0) return true;
    }
    return false;
}

void append_value(std::string& line, const field& entry, bool always_quoted) {
    if (const auto* number = std::get_if<std::int64_t>(&entry.value)) {
        line += std::to_string(*number);
    } else if (const auto* flag = std::get_if<bool>(&entry.value)) {
        line += *flag ? "true" : "false";
    } else {
        const auto text = valid_utf8(std::get<std::string_view>(entry.value), longest_value);
        if (always_quoted || needs_quotes(text)) {
            append_quoted(line, text);
        } else {
            line += text;
        }
    }
}

std::string as_text(log_level level, std::string_view event, std::initializer_list<field> fields) {
    auto line = fmt::format("{} {:<7} {}", now_text(), name_of(level), event);
    for (const auto& entry : fields) {
        line += ' ';
        line += entry.key;
        line += '=';
        append_value(line, entry, false);
    }
    return line;
}

std::string as_json(log_level level, std::string_view event, std::initializer_list<field> fields) {
    auto line =
        fmt::format(R"({{"at":"{}","level":"{}","event":"{}")", now_text(), name_of(level), event);
    for (const auto& entry : fields) {
        line += ",\"";
        line += entry.key;
        line += "\":";
        append_value(line, entry, true);
    }
    return line += '}';
}

}  // namespace

struct logger::impl {
    log_format format;
    spdlog::logger lines;
};

logger::logger(settings how) : level_{how.level} {
    std::shared_ptr<spdlog::sinks::sink> sink;
    if (how.sink) {
        sink = std::make_shared<function_sink>(std::move(how.sink));
    } else {
        sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    }
    impl_ = std::make_unique<impl>(impl{how.format, spdlog::logger{"waybill", std::move(sink)}});
    impl_->lines.set_pattern("%v");
    impl_->lines.set_level(for_spdlog(how.level));
}

logger::~logger() = default;

void logger::write(log_level level, std::string_view event,
                   std::initializer_list<field> fields) const {
    if (!writes(level)) return;
    const auto line = impl_->format == log_format::json ? as_json(level, event, fields)
                                                        : as_text(level, event, fields);
    impl_->lines.log(for_spdlog(level), spdlog::string_view_t{line.data(), line.size()});
}

}  // namespace waybill::log
