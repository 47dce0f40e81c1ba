/// The trace for people: a table on time.
#pragma once

#include "scenario/scenario.hpp"

#include <cstdio>
#include <string>
#include <string_view>

namespace waybill::scenario {

/// Prints each line when it comes. Coloured where `to` is a terminal and NO_COLOR is not set.
class text_table {
public:
    explicit text_table(std::FILE* to);

    void begin(const scenario& told);
    void see(const json::value& line);

private:
    void row(std::string_view time, std::string_view who, std::string_view what,
             std::string_view color);
    void ended(const json::value& line);

    std::FILE* to_;
    bool is_coloured_;
    std::size_t width_ = 12;
    std::string last_time_;
};

}  // namespace waybill::scenario
