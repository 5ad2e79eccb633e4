// A smaller model that is nearly the same (Stolcke 1998): an n-gram goes if without it, and with the backoff of its
// history chosen again, the perplexity of the model itself rises by less than a threshold (1e-8: by 0.000001 %).
// From the longest n-grams to the shortest; those that others begin or end with stay. O(n-grams).
#pragma once
#include "tools/lm/model.hpp"

namespace palmette {

void prune(BackoffModel& model, double threshold);

// Backoffs that make the probabilities after every history sum to one. The suffixes must be linked.
void renormalise(BackoffModel& model);

}  // namespace palmette
