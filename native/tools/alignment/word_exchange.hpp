// Word classes by exchange: words go, one after another, to the class where the text is most probable under a bigram model of
// classes, until none wants to move (Kneser and Ney 1993; Martin, Liermann and Ney 1998).
//
//     Σ_{c, d} N(c, d) log N(c, d) − Σ_c N(c) log N(c) − Σ_d N(d) log N(d)       never falls
//
// Sentences begin and end with a class of their own. O(n_words · (n_classes · the classes beside a word) + bigrams) a pass.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace palmette {

struct ExchangedClasses {
    std::vector<std::int32_t> of;  // the class of every word
    double log_likelihood = 0;     // the sum above
};

// `offsets` of sentences, one more than there are; words are 0 … n_words − 1. Starts with the words, by frequency, in turn.
ExchangedClasses exchange_classes(std::span<const std::int64_t> offsets, std::span<const std::int32_t> words, std::size_t n_words, std::size_t n_classes,
                                  int n_passes);

}  // namespace palmette
