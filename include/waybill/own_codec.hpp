/// A codec of your own, from a name and two functions:
///
///     const auto csv = waybill::own_codec<shop::order>(
///         "csv", "text/csv",
///         [](std::string_view payload, shop::order& into) { ... return true; },
///         [](const shop::order& from, waybill::byte_buffer& out) { ... return true; });
///
/// Guarantee: it is used for the types listed and for no others; a subscription that would need
/// another is refused at start. What a failed write appended is taken back. For a codec that reads
/// any type by its table, implement `codec_interface`.
#pragma once

#include <waybill/codec.hpp>
#include <waybill/export.h>

#include <concepts>
#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace waybill {
namespace detail {

/// An error of at most 200 bytes, in UTF-8.
WAYBILL_API error own_codec_error(errc code, std::string_view text);

/// What the user's functions return, in one form.
template <class Answer>
std::expected<void, error> as_result(const Answer& answer, errc code) {
    if (answer) return {};
    std::string_view why = "the codec refused it";
    if constexpr (!std::same_as<Answer, bool>) why = answer.error();
    return std::unexpected(own_codec_error(code, why));
}

/// Takes back what was appended, unless it is kept.
class appended {
public:
    explicit appended(byte_buffer& out) noexcept : out_(out), before_(out.size()) {}
    ~appended() {
        if (!is_kept_) out_.resize(before_);
    }
    appended(const appended&) = delete;
    appended& operator=(const appended&) = delete;
    void keep() noexcept { is_kept_ = true; }

private:
    byte_buffer& out_;
    std::size_t before_;
    bool is_kept_ = false;
};

template <class Read, class Write, class... Types>
class own_codec final : public codec_interface {
public:
    own_codec(std::string_view name, std::string_view content_type, Read read, Write write)
        : name_(name),
          content_type_(content_type),
          read_(std::move(read)),
          write_(std::move(write)) {}

    std::string_view name() const noexcept override { return name_; }
    std::string_view content_type() const noexcept override { return content_type_; }
    bool supports(const value_type& type) const noexcept override {
        return ((&type == &value_type_of<Types>()) || ...);
    }

    std::expected<void, error> decode(const value_type& type, void* object,
                                      std::span<const std::byte> payload,
                                      arena& /*kept*/) const override {
        return for_type(type, errc::decode, [&]<class T>(std::type_identity<T>) {
            T& into = *static_cast<T*>(object);
            if constexpr (std::invocable<const Read&, std::string_view, T&>)
                return as_result(read_(text_of(payload), into), errc::decode);
            else
                return as_result(read_(payload, into), errc::decode);
        });
    }

    std::expected<void, error> encode(const value_type& type, const void* object,
                                      byte_buffer& out) const override {
        return for_type(type, errc::encode, [&]<class T>(std::type_identity<T>) {
            appended written{out};
            auto done = as_result(write_(*static_cast<const T*>(object), out), errc::encode);
            if (done) written.keep();
            return done;
        });
    }

private:
    static std::string_view text_of(std::span<const std::byte> payload) noexcept {
        return {reinterpret_cast<const char*>(payload.data()), payload.size()};
    }

    template <class Use>
    std::expected<void, error> for_type(const value_type& type, errc code, const Use& use) const {
        std::expected<void, error> done = std::unexpected(
            error{code, "payload", "the codec \"" + name_ + "\" does not know the type", {}});
        const auto try_type = [&]<class T>(std::type_identity<T> as) {
            if (&type == &value_type_of<T>()) done = use(as);
        };
        (try_type(std::type_identity<Types>{}), ...);
        return done;
    }

    std::string name_;
    std::string content_type_;
    Read read_;
    Write write_;
};

}  // namespace detail

/// `read(payload, T&)` puts a payload, a std::string_view or a std::span<const std::byte>, into an
/// object that may hold an earlier message, and `write(const T&, byte_buffer&)` appends one; for
/// each `T` of `Types`, on any thread, several at once. Both return bool, or a
/// std::expected<void, E> whose error is a text for the message; what they throw is handled as a
/// handler's exception is.
template <class... Types, class Read, class Write>
    requires(sizeof...(Types) > 0)
codec own_codec(std::string_view name, std::string_view content_type, Read read, Write write) {
    return std::make_shared<const detail::own_codec<Read, Write, Types...>>(
        name, content_type, std::move(read), std::move(write));
}

}  // namespace waybill
