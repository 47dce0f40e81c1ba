/// What the publishing connection is for: publishes, their confirmations, and the queues in which
/// copies wait.
///
/// Guarantee: each ticket is told once how its publish ended, and `confirmed` only when the server
/// has confirmed it and returned none like it. While the connection is down, or the server blocks
/// publishers, publishes wait.
#pragma once

#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/declaring.hpp"
#include "transport/rabbitmq/keeper.hpp"
#include "transport/rabbitmq/publish.hpp"
#include "transport/rabbitmq/window.hpp"
#include <waybill/detail/transport.hpp>
#include <waybill/outgoing.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace waybill::rabbitmq {

class publishing final : public job {
public:
    publishing(std::shared_ptr<const broker::data> about, detail::transport_host& host,
               std::string broker);
    ~publishing();

    // ---- any thread. @{
    /// An empty one to be filled.
    [[nodiscard]] publish* spare();
    /// Takes it over; its ticket will be told. False after `end_all`: it stays the caller's.
    [[nodiscard]] bool submit(publish& what);
    /// Gives back a spare one unused.
    void discard(publish& what) { give_back(what); }
    /// By hand only: false when it has ended already.
    bool withdraw(publish& what);
    [[nodiscard]] std::string trouble() const;
    /// @}

    /// On the connection's thread (`keeper::ask`): the dead letter is there now, and is declared
    /// again after a reconnect when it is missing then.
    std::expected<void, error> keep_dead_letter(wire& on, const target& where, queue_type kind);

    std::expected<void, error> opened(wire& on) override;
    void lost(const refusal& why) override;
    void work(wire& on) override;
    [[nodiscard]] bool has_work() const noexcept override { return has_work_; }
    void was_read() override;
    [[nodiscard]] std::optional<std::chrono::nanoseconds> due() const override;

    std::byte* begins(const arrival&) override { return nullptr; }
    void arrived() override {}
    void returned(const returned_message& what) override;
    void confirmed(channel_id channel, std::uint64_t tag, bool multiple, bool taken) override;
    void cancelled(channel_id, std::string_view) override {}
    void channel_closed(channel_id channel, const refusal& why) override;
    void blocked(std::string_view reason) override;

    /// Every ticket that waits is told `lost`, and no more are taken. After the connection's end.
    void end_all();

private:
    struct dead_letter {
        target where;
        queue_type kind;
    };

    std::expected<void, error> declare_again(wire& on);
    bool send(wire& on, publish& what);
    bool unprepared(publish& what, const refusal& why);
    void refused(publish& what, const error& why);
    void say_why(std::size_t from, const std::string& why);
    wire::answer<void> prepare_wait(wire& on, const publish& what);
    void no_waiting_queue(const publish& of, const refusal& said);
    std::expected<void, error> ensure(wire& on, const dead_letter& each);
    wire::answer<void> open_publishing(wire& on);
    void tell();
    void give_back(publish& used);

    std::shared_ptr<const broker::data> about_;
    detail::transport_host& host_;
    std::shared_ptr<clock> time_;
    const std::string broker_;

    mutable std::mutex mutex_;
    publish* first_ = nullptr;  // submitted; guarded, as the next ones are
    publish** last_ = &first_;
    publish* spare_ = nullptr;
    std::string blocked_;
    std::string not_declared_;
    bool has_ended_ = false;
    std::atomic<bool> has_work_{false};

    // the connection's thread
    window window_;
    std::vector<publish_end> ended_;
    std::vector<dead_letter> dead_letters_;
    std::vector<declaration> undeclared_;  ///< since the last reconnect
    harmful harmful_;
    unsigned declaring_tries_ = 0;
    std::chrono::nanoseconds next_declaring_{0};
    std::map<std::string, std::chrono::nanoseconds, std::less<>> waits_;  ///< declared when
    bool is_blocked_ = false;
    bool was_open_ = false;
    bool is_channel_open_ = false;
    bool was_declaring_ = false;  ///< when the connection ended
};

}  // namespace waybill::rabbitmq
