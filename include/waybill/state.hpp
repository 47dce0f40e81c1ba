/// What the app's handlers share: made once by `on_startup`, before the first delivery.
///
/// `state<T>` as a handler parameter lends the app's `T`. Lanes run at the same time, so a `T` that
/// several of them change must look after its own locking. Valid for the app's life.
#pragma once

namespace waybill {

template <class T>
class state {
public:
    explicit state(T& shared) noexcept : shared_{&shared} {}

    [[nodiscard]] T& operator*() const noexcept { return *shared_; }
    [[nodiscard]] T* operator->() const noexcept { return shared_; }

private:
    T* shared_;
};

}  // namespace waybill
