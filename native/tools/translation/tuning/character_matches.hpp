// What chrF counts of a sentence: n-grams of up to six characters that a translation shares with a reference.
//
// Characters are code points without white space. If there are several references, the one with the best F-score counts.
// Popović 2015.
// The references are tries of their n-grams, as for BLEU. The counts are exact, and those of sacrebleu.
#pragma once
#include <vector>

#include "tools/translation/tuning/ngram_matches.hpp"

namespace palmette {

inline constexpr int kChrfOrder = 6;
inline constexpr int kChrfCounts = 3 * kChrfOrder;  // for each order: n-grams of the translation, of the reference, of both

// kChrfCounts numbers for each text, the same for any number of threads; `words` are characters here.
std::vector<float> count_characters(const Grouped& translations, const Grouped& references, int n_jobs);

}  // namespace palmette
