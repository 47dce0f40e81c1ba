#include "transport/rabbitmq/io/alarm.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace waybill::rabbitmq::io {

alarm::alarm() : descriptor_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (descriptor_ < 0) throw std::system_error{errno, std::system_category(), "eventfd"};
}

alarm::~alarm() { close(descriptor_); }

void alarm::ring() noexcept {
    if (ringing_.exchange(true)) return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(descriptor_, &one, sizeof one);
}

void alarm::silence() noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto taken = read(descriptor_, &count, sizeof count);
    // Only now: a ring before this line finds it ringing, and what came with it is seen after it.
    ringing_.exchange(false);
}

}  // namespace waybill::rabbitmq::io
