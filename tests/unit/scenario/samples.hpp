/// Scenario files for the tests of their reader.
#pragma once

#include "scenario/memory_kit.hpp"
#include "scenario/read.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace scenario_samples {

namespace scenario = waybill::scenario;

/// "$.steps[0]: what is wrong", in their order; none for a file that is read.
inline std::vector<std::string> mistakes_of(std::string_view text) {
    std::vector<std::string> all;
    const auto read = scenario::read(text);
    if (read) return all;
    for (const auto& each : read.error()) all.push_back(each.path + ": " + each.what);
    return all;
}

inline std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& each : lines) text += (text.empty() ? "" : "\n") + each;
    return text;
}

/// What is wrong, a line a mistake; "" for a file that is read.
inline std::string wrong_with(std::string_view text) { return joined(mistakes_of(text)); }

/// A file that is known to be right.
inline scenario::scenario read_well(std::string_view text) {
    auto read = scenario::read(text);
    if (!read) FAIL(wrong_with(text));
    return std::move(*read);
}

/// A file of one subscription to "q" with these members too.
inline std::string file_with(std::string_view members) {
    std::string text = R"({"transport": "memory", "subscriptions": [{"source": {"name": "q"})";
    if (!members.empty()) text += ", ";
    text += members;
    return text + "}]}";
}
inline scenario::subscription subscription_with(std::string_view members) {
    return read_well(file_with(members)).subscriptions.at(0);
}

inline std::string file_of_steps(std::string_view steps) {
    return R"({"transport": "memory", "steps": [)" + std::string{steps} + "]}";
}
template <class Step>
Step step_of(std::string_view text) {
    const auto read = read_well(file_of_steps(text));
    REQUIRE(read.steps.size() == 1);
    REQUIRE(std::holds_alternative<Step>(read.steps[0]));
    return std::get<Step>(read.steps[0]);
}

inline std::string text_of(const scenario::bytes& content) {
    return {reinterpret_cast<const char*>(content.data()), content.size()};
}
inline scenario::bytes bytes_from(std::string_view text) {
    const auto view = std::as_bytes(std::span{text});
    return {view.begin(), view.end()};
}

}  // namespace scenario_samples
