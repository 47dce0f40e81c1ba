/// The trace for people: a table on time, and at the end one of counts.
#pragma once

#include "scenario/read.hpp"
#include "scenario/scenario.hpp"
#include "scenario/terminal.hpp"

#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::scenario {

/// Prints each line when it comes, one row for a delivery and what is said of it at once. Nothing
/// that a file or a message holds reaches the terminal as a command, and no row is long by it.
class text_table {
public:
    text_table(std::FILE* to, bool is_coloured) : to_{to}, paint_{is_coloured} {}

    void begin(const scenario& told);
    /// The last line, `ended`, ends the table.
    void see(const json::value& line);

private:
    struct refusal {
        std::string where;
        std::string what;
    };
    /// A row that may go on.
    struct open_row {
        std::string of;  ///< which delivery, and when; empty: there is none
        std::string time;
        std::string who;
        std::string what;         ///< one line, or two
        bool is_settled = false;  ///< what comes is about another delivery
    };

    void see_delivery(const json::value& line);
    void see_outcome(const json::value& line);
    void see_settled(const json::value& line);
    void row(const json::value& line, const std::string& what);
    bool goes_on(const json::value& line, const std::string& what);
    void flush();
    void print(const std::string& time, const std::string& who, const std::string& what);
    void print_refusals();
    void ended(const json::value& line);
    [[nodiscard]] std::string started(const json::value& line);
    [[nodiscard]] std::string published(const json::value& line) const;

    std::FILE* to_;
    paint paint_;
    std::vector<std::string> names_;
    std::size_t width_ = 0;  ///< of the column of subscriptions
    std::string last_time_;
    open_row open_;
    std::map<std::string, std::string> said_at_start_;
    std::vector<refusal> refusals_;
};

/// What is wrong with a file, each mistake beside its place.
[[nodiscard]] std::string text_of(const std::vector<mistake>& mistakes, bool is_coloured);

}  // namespace waybill::scenario
