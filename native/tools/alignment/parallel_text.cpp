#include "tools/alignment/parallel_text.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace palmette {

namespace {

bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Calls on(word) for the words of a sentence.
template <class On>
void each_word(std::string_view text, On&& on) {
    for (std::size_t at = 0; at < text.size();) {
        if (is_white(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at + 1;
        while (end < text.size() && !is_white(text[end])) ++end;
        on(text.substr(at, end - at));
        at = end;
    }
}

bool is_blank_line(std::string_view line) { return std::all_of(line.begin(), line.end(), is_white); }

// Parts between tabs, or between words |||; `first_end` and `second` are where the first ends and the second begins.
struct Parts {
    std::int64_t n = 1;
    std::size_t first_end = 0, second = 0;
};

Parts parts_of(std::string_view line, PairSeparator separator) {
    Parts parts;
    const auto found = [&](std::size_t at, std::size_t width) {
        if (parts.n++ == 1) parts.first_end = at, parts.second = at + width;
    };
    if (separator == PairSeparator::tab) {
        for (std::size_t at = line.find('\t'); at != line.npos; at = line.find('\t', at + 1)) found(at, 1);
    } else {
        each_word(line, [&](std::string_view word) {
            if (word == "|||") found(static_cast<std::size_t>(word.data() - line.data()), 3);
        });
    }
    return parts;
}

}  // namespace

void TextSide::add(std::string_view sentence) {
    each_word(sentence, [&](std::string_view word) { ids.push_back(words.intern(word).id); });
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
}

SeparatorCounts count_separators(std::string_view text) {
    SeparatorCounts counts;
    Lines lines(text);
    for (std::string_view line; lines.next(line);) {
        if (is_blank_line(line)) continue;
        ++counts.lines;
        counts.tab += parts_of(line, PairSeparator::tab).n == 2;
        counts.bars += parts_of(line, PairSeparator::bars).n == 2;
    }
    return counts;
}

void read_side(std::string_view text, TextSide& side) {
    Lines lines(text);
    for (std::string_view line; lines.next(line);) side.add(line);
}

BadLine read_pairs(std::string_view text, PairSeparator separator, TextSide& source, TextSide& target) {
    Lines lines(text);
    for (std::string_view line; lines.next(line);) {
        const Parts parts = parts_of(line, separator);
        if (parts.n == 2) {
            source.add(line.substr(0, parts.first_end));
            target.add(line.substr(parts.second));
        } else if (is_blank_line(line)) {
            source.add({});
            target.add({});
        } else {
            return {lines.number(), parts.n};
        }
    }
    return {};
}

}  // namespace palmette
