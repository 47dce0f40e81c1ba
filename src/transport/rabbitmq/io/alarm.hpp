/// What ends a wait from another thread: an eventfd that is written once however often `ring` is
/// called before somebody looks.
#pragma once

#include <atomic>

namespace waybill::rabbitmq::io {

class alarm {
public:
    /// Throws std::system_error when the system gives no descriptor.
    alarm();
    alarm(const alarm&) = delete;
    alarm& operator=(const alarm&) = delete;
    ~alarm();

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// Any thread. What was written before it is seen after `silence`.
    void ring() noexcept;
    /// The one who waits, once the descriptor is readable.
    void silence() noexcept;

private:
    int descriptor_;
    std::atomic<bool> ringing_{false};
};

}  // namespace waybill::rabbitmq::io
