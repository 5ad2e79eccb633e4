#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "tools/lm/arpa.hpp"

namespace palmette {

namespace {

// The shortest digits that give the number again; what has no logarithm is -99, as everywhere in this format.
void append(std::string& text, float value) {
    char digits[32];
    if (std::isinf(value)) value = -99;
    if (value == 0) value = 0;  // not −0
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text.append(digits, end - digits);
}

}  // namespace

std::string arpa_head(const BackoffModel& model) {
    std::string text = "\\data\\\n";
    for (int level = 0; level < model.order(); ++level)
        text += "ngram " + std::to_string(level + 1) + "=" + std::to_string(model.size(level)) + "\n";
    return text;
}

std::string arpa_lines(const BackoffModel& model, const WordTable& words, int level, std::uint32_t first,
                       std::uint32_t last) {
    std::string text;
    if (first >= last) return text;
    text.reserve((last - first) * (12 + 8 * (level + 1)));
    // The nodes on the way to the first n-gram; each moves on when its children are through.
    std::array<std::uint32_t, 16> path;
    path[level] = first;
    for (int k = level; k--;) {
        const Ids& starts = model.levels[k].starts;
        path[k] = static_cast<std::uint32_t>(std::upper_bound(starts.begin(), starts.end(), path[k + 1]) - starts.begin() - 1);
    }
    for (std::uint32_t node = first; node < last; ++node) {
        path[level] = node;
        for (int k = level; k--;)
            while (model.levels[k].starts[path[k] + 1] <= path[k + 1]) ++path[k];
        append(text, model.levels[level].probs[node]);
        for (int k = 0; k <= level; ++k) {
            text += k ? ' ' : '\t';
            text += words.word(k ? model.levels[k].words[path[k]] : path[0]);
        }
        if (level + 1 < model.order()) {
            text += '\t';
            append(text, model.levels[level].backoffs[node]);
        }
        text += '\n';
    }
    return text;
}

}  // namespace palmette
