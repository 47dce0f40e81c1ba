/// The patterns that are read, by their words: which of them take an address costs its levels, not
/// the number of patterns.
///
/// Guarded by the store's lock.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::memory {

struct backlog;

class patterns {
public:
    /// The pattern is a valid one and is read by this queue from now on.
    void add(std::string_view pattern, backlog& by);
    /// Appends the queues whose pattern matches, each once.
    void find(std::string_view address, std::vector<backlog*>& found) const;

private:
    struct node {
        std::map<std::string, std::unique_ptr<node>, std::less<>> words;
        std::unique_ptr<node> any;    ///< behind a `*`
        std::vector<backlog*> ends;   ///< patterns that end here
        std::vector<backlog*> rests;  ///< patterns that go on with `>`
    };

    static void find_below(const node& at, std::string_view rest, std::vector<backlog*>& found);

    node root_;
};

}  // namespace waybill::memory
