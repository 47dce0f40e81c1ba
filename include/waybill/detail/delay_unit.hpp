/// What the compiler says of `retry_after(30)`.
#pragma once

#include <type_traits>

namespace waybill::detail {

template <class T>
concept number = std::is_arithmetic_v<T>;

template <class Number>
struct delay_without_unit {
    static_assert(!number<Number>,
                  "waybill: a time needs a unit: 30s or 250ms, with using namespace "
                  "std::chrono_literals");
};

}  // namespace waybill::detail
