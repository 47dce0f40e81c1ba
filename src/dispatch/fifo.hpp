/// First in, first out, in one run of memory that is kept for what comes next.
///
/// Guarantee: putting in and taking out take the same time however many are in it, on average; how
/// much memory it has goes by the most that were in it at once. Belongs to one thread.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace waybill::dispatch {

template <class Item>
class fifo {
public:
    [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
    void push(const Item& what) { items_.push_back(what); }
    /// Of what is not empty.
    [[nodiscard]] Item pop() {
        Item taken = std::move(items_[first_++]);
        // The others move up when they are not more than those that have left since the last time.
        if (first_ * 2 >= items_.size()) {
            items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
        return taken;
    }

private:
    std::vector<Item> items_;
    std::size_t first_ = 0;  ///< below the size unless both are 0
};

}  // namespace waybill::dispatch
