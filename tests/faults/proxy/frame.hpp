/// AMQP 0-9-1 as it passes by: bytes of one direction in, whole frames out.
///
/// Guarantee: every byte that goes in comes out again, in order and unchanged. Bytes that are no
/// frames (TLS, another protocol, a frame without its end) come out as they come in, as raw pieces.
/// No I/O; belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace faults {

/// Who sent it.
enum class side : std::uint8_t { client, server };

std::string_view to_text(side from) noexcept;

enum class piece_kind : std::uint8_t { protocol_header, method, header, body, heartbeat, raw };

/// What passes in one piece.
struct piece {
    piece_kind kind = piece_kind::raw;
    std::uint16_t channel = 0;
    std::uint16_t class_id = 0;   // of a method
    std::uint16_t method_id = 0;  // of a method
    std::uint64_t begins = 0;     // how many bytes of its direction came before
    std::string bytes;            // all of it, with the frame's own

    /// `basic.publish`, `header`, `body`, `heartbeat`, `protocol` or `raw`; a method that 0-9-1
    /// does not know is called `class.method` by its numbers.
    [[nodiscard]] std::string name() const;
};

/// Whether a method has that name, as in `basic.publish`.
bool is_method_name(std::string_view name) noexcept;

class frame_reader {
public:
    void feed(std::string_view bytes);
    /// The next whole piece; nothing when more bytes are needed.
    std::optional<piece> next();
    /// What is left when the sender has ended, whole or not.
    std::optional<piece> rest();

private:
    [[nodiscard]] std::string_view waiting() const noexcept;
    piece take(std::size_t size, piece_kind kind);

    std::string bytes_;
    std::size_t taken_ = 0;  // of the bytes
    std::uint64_t passed_ = 0;
    bool raw_ = false;
};

}  // namespace faults
