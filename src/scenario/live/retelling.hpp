/// What a relay tells, done again in the runner's process: the witness sees each delivery and each
/// publish as if it were here.
#pragma once

#include "scenario/json.hpp"
#include "scenario/live/line_socket.hpp"
#include "scenario/witness.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace waybill::scenario {

/// For one thread. What it names outlives it.
class retelling {
public:
    retelling(const scenario& told, witness& seen, trace& into)
        : told_{told}, seen_{seen}, trace_{into} {}

    /// Does what a line says; a question is answered over `from`. False: it is not of this kind.
    bool hear(const json::value& line, line_socket& from);
    /// Is a publish under way?
    [[nodiscard]] bool is_sending() const noexcept { return !sending_.empty(); }
    /// What is under way may have arrived, and nobody knows.
    void doubt_all();
    /// The process is gone, with what it had in hand.
    void forget_all();

private:
    struct held {
        bytes headers;
        bytes payload;  ///< and bytes behind it, as of every delivery
        std::string address;
        std::vector<std::byte> room;
        detail::received message{};
    };
    struct sending {
        std::string address;
        bytes headers;
        bytes payload;
        observer::sent what;
        [[nodiscard]] outgoing_view view() const { return {address, payload, headers}; }
    };

    void took(const json::value& line);
    void passed(const json::value& line);
    void begin_sending(const json::value& line, line_socket& from);
    void end_sending(const json::value& line);
    [[nodiscard]] delivery of(const json::value& line) const;

    const scenario& told_;
    witness& seen_;
    trace& trace_;
    std::map<std::uint64_t, std::unique_ptr<held>> hand_;  ///< by token
    std::map<std::uint64_t, held*> by_place_;
    std::map<std::uint64_t, sending> sending_;  ///< by handle
    std::uint64_t last_handle_ = 0;
};

}  // namespace waybill::scenario
