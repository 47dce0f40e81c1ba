#include "scenario/shrink.hpp"

#include "scenario/fields.hpp"
#include <waybill/outcome.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace waybill::scenario {
namespace {

class shrinker {
public:
    shrinker(json::value file, const std::function<bool(const json::value&)>& is_still_so,
             std::size_t most_tries)
        : file_{std::move(file)}, is_still_so_{is_still_so}, tries_left_{most_tries} {}

    json::value shrink() {
        while (pass(file_)) {
        }
        return std::move(file_);
    }

private:
    /// With `part`, which is within the file, replaced; put back where that goes too far.
    template <class Part>
    bool replace(Part& part, Part by) {
        if (tries_left_ == 0) return false;
        --tries_left_;
        std::swap(part, by);
        if (is_still_so_(file_)) return true;
        std::swap(part, by);
        return false;
    }

    /// One look at everything; false when nothing became smaller.
    bool pass(json::value& at) {
        if (auto* items = at.items()) return pass_over(*items);
        if (auto* members = at.members()) return pass_over(*members);
        return make_less(at);
    }

    template <class List>
    bool pass_over(List& all) {
        bool is_smaller = leave_out(all);
        // By index: a part that was put back lies elsewhere.
        for (std::size_t which = 0; which < all.size(); ++which) {
            is_smaller |= pass(value_in(all[which]));
        }
        return is_smaller;
    }
    static json::value& value_in(json::value& item) { return item; }
    static json::value& value_in(json::member& each) { return each.is; }

    /// Long runs first, from behind.
    template <class List>
    bool leave_out(List& all) {
        bool is_smaller = false;
        for (auto run = all.size(); run != 0; run /= 2) {
            for (auto end = all.size(); end >= run;) {
                const auto first = end - run;
                List rest{all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first)};
                rest.insert(rest.end(), all.begin() + static_cast<std::ptrdiff_t>(end), all.end());
                is_smaller |= replace(all, std::move(rest));
                end = std::min(first, all.size());
                if (first == 0) break;
            }
        }
        return is_smaller;
    }

    bool make_less(json::value& at) {
        for (auto& each : less_than(at)) {
            if (replace(at, std::move(each))) return true;
        }
        return false;
    }
    static std::vector<json::value> less_than(const json::value& what) {
        if (const auto number = what.integer(); number && *number > 1) {
            std::vector<json::value> less{json::value{1}, json::value{*number / 2}};
            less.emplace_back(*number - 1);
            return less;
        }
        const auto* text = what.text();
        return text != nullptr ? less_than_text(*text) : std::vector<json::value>{};
    }
    /// "30s", "retry_after 30s", or an outcome.
    static std::vector<json::value> less_than_text(const std::string& text) {
        const auto space = text.find(' ');
        const auto before = space == text.npos ? "" : text.substr(0, space + 1);
        const auto length = duration_of(std::string_view{text}.substr(before.size()));
        std::vector<json::value> less;
        if (before == "retry_after ") less.emplace_back("retry");
        if (length && *length > nanoseconds{1}) {
            for (const auto shorter : shorter_than(*length)) {
                less.emplace_back(before + to_text(shorter));
            }
        }
        return less;
    }
    /// Only such as people would write.
    static std::vector<nanoseconds> shorter_than(nanoseconds length) {
        using namespace std::chrono_literals;
        std::vector<nanoseconds> shorter;
        for (const nanoseconds each : std::initializer_list<nanoseconds>{1ms, 1s, 1min}) {
            if (each < length) shorter.push_back(each);
        }
        return shorter;
    }

    json::value file_;
    const std::function<bool(const json::value&)>& is_still_so_;
    std::size_t tries_left_;
};

}  // namespace

json::value shrink(json::value file, const std::function<bool(const json::value&)>& is_still_so,
                   std::size_t most_tries) {
    return shrinker{std::move(file), is_still_so, most_tries}.shrink();
}

}  // namespace waybill::scenario
