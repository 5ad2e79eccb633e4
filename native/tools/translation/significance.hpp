// How surprising it is that two phrases meet: Fisher's exact test (Johnson et al. 2007).
//
// Of N sentence pairs, c(s) have the source phrase, c(t) the target phrase and c(s, t) both. If they met by chance,
//
//     p = Σ over k ≥ c(s, t) of C(c(s), k) C(N − c(s), c(t) − k) / C(N, c(t))
//
// A pair of phrases that occur once each, together, has −ln p = ln N.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/alignment/bitext.hpp"
#include "tools/translation/phrase_table.hpp"

namespace palmette {

// −ln p; O(min(c(s), c(t)) − c(s, t)), mostly less. 0 ≤ both ≤ source, target ≤ n.
double surprise(std::uint32_t both, std::uint32_t source, std::uint32_t target, std::uint32_t n);

// Numbers of sentence pairs for each pair of the table: with its source phrase, with its target phrase, with both. Words of the
// text are numbered as in the table; −1 is any other word. The table has been checked as a whole. O(words × longest phrase), and
// for each pair the length of the shorter list of sentences.
std::vector<std::uint32_t> sentence_counts(const PhraseTableView& table, const Side& source, const Side& target, int n_jobs);

}  // namespace palmette
