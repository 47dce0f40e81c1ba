/// What a stretch of a run took: time, and the processor time of the whole process.
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstddef>
#include <iostream>

namespace bench {

class stopwatch {
public:
    void begin() {
        cpu_ = -cpu_now();
        begun_ = std::chrono::steady_clock::now();
    }
    void end() {
        span_ = std::chrono::steady_clock::now() - begun_;
        cpu_ += cpu_now();
    }
    /// Two lines, each of all `count`: scripts/bench_rabbitmq.py reads them.
    void report(std::size_t count) const {
        const auto each = static_cast<double>(count);
        std::cout << "rate " << each / span_.count() << "\ncpu_us " << cpu_ * 1e6 / each << '\n';
    }

private:
    static double cpu_now() {
        rusage used{};
        ::getrusage(RUSAGE_SELF, &used);
        const auto seconds = [](const timeval& time) {
            return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
        };
        return seconds(used.ru_utime) + seconds(used.ru_stime);
    }

    std::chrono::steady_clock::time_point begun_;
    std::chrono::duration<double> span_{0};
    double cpu_ = 0;
};

}  // namespace bench
