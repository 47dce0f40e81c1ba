/// What the app's handlers share: made once by `on_startup`, before the first delivery.
///
/// `state<T>` as a handler parameter lends the app's `T`. Lanes run at the same time, so a `T` that
/// several of them change must look after its own locking. Valid for the app's life.
#pragma once

#include <memory>
#include <type_traits>

namespace waybill {

namespace detail {
template <class T>
inline constexpr bool is_smart_pointer = false;
template <class T>
inline constexpr bool is_smart_pointer<std::shared_ptr<T>> = true;
template <class T, class D>
inline constexpr bool is_smart_pointer<std::unique_ptr<T, D>> = true;
}  // namespace detail

template <class T>
class state {
    static_assert(!std::is_reference_v<T> && !std::is_pointer_v<T> &&
                      !detail::is_smart_pointer<std::remove_cv_t<T>>,
                  "waybill: state<T> lends the T itself: name the type without &, * and smart "
                  "pointer, also where on_startup returns a pointer to it");

public:
    /// For the runtime, which lends it.
    explicit state(T& shared) noexcept : shared_{&shared} {}

    /// What `on_startup` made; the app owns it. @{
    [[nodiscard]] T& operator*() const noexcept { return *shared_; }
    [[nodiscard]] T* operator->() const noexcept { return shared_; }
    /// @}

private:
    T* shared_;
};

}  // namespace waybill
