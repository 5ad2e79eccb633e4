// ARPA files, the common text form of backoff models:
//
//     \data\ and, on lines of their own, ngram 1=<number of n-grams of one word> …
//     \1-grams: and a line for each: <log10 probability> TAB <words> TAB <log10 backoff, if any>
//     … and \end\ at the end.
//
// Reading is O(bytes + n-grams · log n-grams).
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/word_table.hpp"
#include "tools/lm/model.hpp"

namespace palmette {

struct ArpaError : std::runtime_error {
    ArpaError(std::int64_t line, const std::string& message) : std::runtime_error(message), line(line) {}
    std::int64_t line;
};

struct Arpa {
    WordTable words;
    BackoffModel model;
    bool without_unknown = false;     // the file has no <unk>; it gets probability zero
    std::uint64_t added = 0;          // n-grams that others begin or end with and that were missing
};

// ArpaError says in which line what is wrong. N-grams whose prefix or suffix is missing get it, with the probability
// that backing off gives.
Arpa read_arpa(std::string_view text);

// The head of a file, and the lines of n-grams first … last of a level.
std::string arpa_head(const BackoffModel& model);
std::string arpa_lines(const BackoffModel& model, const WordTable& words, int level, std::uint32_t first,
                       std::uint32_t last);

}  // namespace palmette
