/// faults_proxy SERVER_PORT [--port N] [--seed N] [--watch] [RULE]...
///
/// The proxy as a program. Prints `port N`, and with --watch every piece that passes. Its standard
/// input gives it more, a line each: a rule; an action, which is done at once; `clear`; and the
/// questions `seen client|server NAME`, `bytes client|server` and `acted`, each answered by a
/// number. Ends with its input, or when it is told `quit`.
#include "proxy.hpp"

#include <charconv>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace {

constexpr auto usage =
    "usage: faults_proxy SERVER_PORT [--port N] [--seed N] [--watch] [RULE]...\n";

template <class Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

void print(faults::side from, const faults::piece& passing) {
    std::cout << faults::to_text(from) << ' ' << passing.name() << " channel " << passing.channel
              << ", " << passing.bytes.size() << " bytes from " << passing.begins << std::endl;
}

struct wanted {
    faults::proxy_options options;
    std::vector<std::string> rules;
};

/// Nothing when the command line is not understood.
std::optional<wanted> read_arguments(const std::vector<std::string>& arguments) {
    wanted all;
    bool good = !arguments.empty();
    const auto take = [&good]<class Number>(std::string_view text, Number& into) {
        const auto value = number<Number>(text);
        good = good && value;
        if (value) into = *value;
    };
    if (good) take(arguments[0], all.options.server_port);
    for (std::size_t each = 1; each < arguments.size(); ++each) {
        const auto& word = arguments[each];
        const bool more = each + 1 < arguments.size();
        if (word == "--watch") {
            all.options.watch = print;
        } else if (word == "--port" && more) {
            take(arguments[++each], all.options.port);
        } else if (word == "--seed" && more) {
            take(arguments[++each], all.options.seed);
        } else {
            good = good && !word.starts_with("--");
            all.rules.push_back(word);
        }
    }
    return good ? std::optional{std::move(all)} : std::nullopt;
}

void obey(faults::proxy& proxy, const std::string& line) {
    std::istringstream words{line};
    std::string first;
    std::string who;
    std::string name;
    words >> first >> who >> name;
    const auto from = who == "server" ? faults::side::server : faults::side::client;
    if (first == "client" || first == "server" || first == "any") {
        proxy.add(line);
    } else if (first == "clear") {
        proxy.clear();
    } else if (first == "seen") {
        std::cout << proxy.seen(from, name) << std::endl;
    } else if (first == "bytes") {
        std::cout << proxy.most_bytes(from) << std::endl;
    } else if (first == "acted") {
        std::cout << proxy.acted() << std::endl;
    } else if (!first.empty()) {
        proxy.act(line);
    }
}

}  // namespace

int main(int count, char** arguments) {
    auto all = read_arguments({arguments + 1, arguments + count});
    if (!all) {
        std::cerr << usage;
        return 2;
    }
    try {
        faults::proxy proxy{std::move(all->options)};
        for (const auto& each : all->rules) proxy.add(each);
        std::cout << "port " << proxy.port() << std::endl;
        for (std::string line; std::getline(std::cin, line) && line != "quit";) {
            try {
                obey(proxy, line);
            } catch (const std::exception& wrong) {
                std::cerr << line << ": " << wrong.what() << std::endl;
            }
        }
    } catch (const std::exception& wrong) {
        std::cerr << wrong.what() << '\n';
        return 1;
    }
}
