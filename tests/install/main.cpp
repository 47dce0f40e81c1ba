// Compiled against the installed headers only: what a user's first file does.
#include <waybill/error.hpp>

#include <iostream>

int main() {
    const waybill::error failure{waybill::errc::argument, "consumer", "it works", ""};
    std::cout << failure.message() << '\n';
    return failure.message().starts_with("consumer: it works") ? 0 : 1;
}
