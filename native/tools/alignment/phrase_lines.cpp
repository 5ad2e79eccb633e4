// Phrase tables as text.
#include <algorithm>
#include <charconv>
#include <numeric>

#include "tools/alignment/phrase_lines.hpp"

namespace palmette {

namespace {

void append_words(const Side& side, const Words& words, std::size_t s, std::int32_t begin, std::int32_t end, std::string& text) {
    for (std::int32_t k = begin; k < end; ++k) {
        if (k > begin) text.push_back(' ');
        text += words[static_cast<std::size_t>(side.sentence(s)[k])];
    }
}

template <class Number, class... Format>
void append_number(std::string& text, Number value, Format... format) {
    char digits[32];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value, format...).ptr);
}

}  // namespace

void PhraseRows::append(std::size_t row, std::string& text) const {
    const std::int32_t* place = places.data() + 5 * row;
    const auto s = static_cast<std::size_t>(place[0]);
    append_words(source, source_words, s, place[1], place[2], text);
    text += " ||| ";
    append_words(target, target_words, s, place[3], place[4], text);
}

std::vector<std::int64_t> phrase_order(const PhraseRows& rows) {
    std::string all;
    std::vector<std::size_t> at{0};
    for (std::size_t row = 0; row < rows.size(); ++row) {
        rows.append(row, all);
        at.push_back(all.size());
    }
    const std::string_view text = all;
    std::vector<std::int64_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0);
    const auto line = [&](std::int64_t row) {
        const auto k = static_cast<std::size_t>(row);
        return text.substr(at[k], at[k + 1] - at[k]);
    };
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        const int compared = line(a).compare(line(b));
        return compared ? compared < 0 : a < b;
    });
    return order;
}

std::string phrase_lines(const PhraseRows& rows, const PhraseScores& scores, std::size_t begin, std::size_t end) {
    std::string text;
    for (std::size_t row = begin; row < end; ++row) {
        rows.append(row, text);
        const std::int64_t* count = scores.counts.data() + 3 * row;  // target, source, both
        const double* lexical = scores.lexical.data() + 2 * row;
        const auto both = static_cast<double>(count[2]);
        const double four[] = {both / static_cast<double>(count[0]), lexical[0], both / static_cast<double>(count[1]), lexical[1]};
        text += " |||";
        for (const double score : four) {
            text.push_back(' ');
            append_number(text, score, std::chars_format::general, 6);
        }
        text += " |||";
        const std::int32_t* place = rows.places.data() + 5 * row;
        const auto s = static_cast<std::size_t>(place[0]);
        for (std::int64_t link = scores.links_at[s]; link < scores.links_at[s + 1]; ++link) {
            const std::int32_t i = scores.link_source[static_cast<std::size_t>(link)], j = scores.link_target[static_cast<std::size_t>(link)];
            if (i < place[1] || i >= place[2]) continue;
            text.push_back(' ');
            append_number(text, i - place[1]);
            text.push_back('-');
            append_number(text, j - place[3]);
        }
        text += " |||";
        for (int k = 0; k < 3; ++k) {
            text.push_back(' ');
            append_number(text, count[k]);
        }
        text += " ||| |||\n";
    }
    return text;
}

}  // namespace palmette
