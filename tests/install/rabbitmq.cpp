#include "letters.hpp"

#include <iostream>

int main() {
    auto app = letters();
    const auto said = app.describe();
    std::cout << said;
    if (app.start()) return 1;  // nobody is there
    return said.find("queue letters (quorum)") != said.npos ? 0 : 1;
}
