/// Binding keys of a topic exchange and keys that they take, or do not: tried on the server in
/// memory and on real ones.
#pragma once

namespace support {

struct topic_pattern {
    const char* pattern;
    const char* key;
    bool matches;
};

inline constexpr topic_pattern topic_patterns[] = {
    {"a.#", "a", true},
    {"a.#", "a.b", true},
    {"a.#", "a.b.c", true},
    {"a.#", "ab", false},
    {"a.#", "b.a", false},
    {"#.text", "text", true},
    {"#.text", "x.y.text", true},
    {"#.text", "x.text.y", false},
    {"#.text", "context", false},
    {"a.*", "a.b", true},
    {"a.*", "a.b.c", false},
    {"a.*", "a", false},
    {"a.*", "a.", true},
    {"*", "a", true},
    {"*", "a.b", false},
    {"*", "", false},
    {"#", "", true},
    {"#", "a.b.c", true},
    {"#", ".", true},
    {"*.*", ".", true},
    {"*.*", "a", false},
    {"a.*.c", "a.b.c", true},
    {"a.*.c", "a..c", true},
    {"a.*.c", "a.c", false},
    {"a.#.c", "a.c", true},
    {"a.#.c", "a.b.b.c", true},
    {"a.#.c", "a.c.b", false},
    {"#.b.#", "a.b.c.b", true},
    {"#.b.#", "b", true},
    {"#.b.#", "a.c", false},
    {"#.#", "", true},
    {"#.#", "a", true},
    {"#.*", "", false},
    {"#.*", "a.b", true},
    {"*.#", "", false},
    {"*.#", "a", true},
    {"a*", "ab", false},
    {"a*", "a*", true},
    {"a#", "a#", true},
    {"a.b", "A.B", false},
    {"", "", true},
    {"", "a", false},
};

}  // namespace support
