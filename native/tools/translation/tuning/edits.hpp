// What TER counts of a sentence: the fewest edits of words that make a reference of the translation, where moving a run of
// words is one edit (Snover et al. 2006).
//
// Finding the best moves is NP-hard. As Tercom and sacrebleu do, the one move that helps most is made, again and again,
// until none helps; runs have up to 10 words and move up to 50 places, and after 1,000 moves that were tried it ends. Edit
// distances are computed in a band around the diagonal. The counts are those of sacrebleu.
#pragma once
#include <vector>

#include "tools/translation/tuning/ngram_matches.hpp"

namespace palmette {

inline constexpr int kTerCounts = 2;  // edits, words of a reference (their mean if there are several)

// The edits that make `reference` of `words`.
int translation_edits(Words words, Words reference);

// kTerCounts numbers for each translation, the same for any number of threads; the best reference counts.
std::vector<float> count_edits(const Grouped& translations, const Grouped& references, int n_jobs);

}  // namespace palmette
