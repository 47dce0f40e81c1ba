/// Reads the tables of the documents, which the tests compare with what is so.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace documents {

/// The first `code` of a cell, or "".
inline std::string code_in(const std::string& cell) {
    const auto first = cell.find('`');
    if (first == cell.npos) return "";
    return cell.substr(first + 1, cell.find('`', first + 1) - first - 1);
}

/// The cells of a row, as they stand between its bars.
inline std::vector<std::string> cells_of(const std::string& row) {
    std::istringstream in{row.substr(1)};
    std::vector<std::string> cells;
    for (std::string cell; std::getline(in, cell, '|');) cells.push_back(cell);
    return cells;
}

}  // namespace documents
