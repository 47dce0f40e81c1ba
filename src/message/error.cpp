#include <waybill/error.hpp>

#include <ostream>

namespace waybill {

const char* to_string(errc code) noexcept {
    switch (code) {
        case errc::decode:
            return "decode";
        case errc::encode:
            return "encode";
        case errc::wiring:
            return "wiring";
        case errc::publish:
            return "publish";
        case errc::unroutable:
            return "unroutable";
        case errc::refused:
            return "refused";
        case errc::stopped:
            return "stopped";
        case errc::connection:
            return "connection";
        case errc::argument:
            return "argument";
        case errc::failed:
            return "failed";
    }
    return "unknown";
}

std::string error::message() const {
    std::string text = where;
    if (!what.empty()) {
        if (!text.empty()) text += ": ";
        text += what;
    }
    if (!fix.empty()) {
        if (!text.empty()) text += ". ";
        text += fix;
    }
    return text;
}

std::ostream& operator<<(std::ostream& stream, const error& failure) {
    return stream << to_string(failure.code) << ": " << failure.message();
}

}  // namespace waybill
