#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "base/read_number.hpp"
#include "tools/translation/moses_tables.hpp"

namespace palmette {

namespace {

void append_phrase(std::span<const std::uint32_t> ids, const Words& words, std::string& text) {
    for (std::size_t k = 0; k < ids.size(); ++k) {
        if (k) text.push_back(' ');
        text += words[ids[k]];
    }
}

void append_whole(std::string& text, std::uint32_t value) {
    char digits[16];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// A probability whose logarithm, read again, is the same float: as few digits as do.
void append_probability(std::string& text, float log) {
    const double p = std::exp(static_cast<double>(log));
    if (!(p > 0) || !std::isfinite(p)) throw DamagedTable("a phrase table cannot be written: e to the power of a score " + std::to_string(log) + " is not a number");
    char digits[40];
    for (const int precision : {6, 7, 8, 9, 17}) {
        const char* end = std::to_chars(digits, digits + sizeof digits, p, std::chars_format::general, precision).ptr;
        double again = 0;
        read_number(digits, end, again);
        if (precision < 17 && static_cast<float>(std::log(again)) != log) continue;
        text.append(digits, static_cast<std::size_t>(end - digits));
        return;
    }
}

}  // namespace

MosesWriter::MosesWriter(const PhraseTableView& table, Words source, Words target, std::span<const std::uint32_t> counts)
    : table_(table), source_(source), target_(target), counts_(counts), parent_(table.n_nodes()) {
    std::string all;
    std::vector<std::size_t> at{0};
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t v = 0; v < table.n_nodes(); ++v) {
        for (std::uint32_t k = table.child_begin[v]; k < table.child_begin[v + 1]; ++k) parent_[k] = v;
        if (table.pairs(v).size() == 0) continue;
        nodes.push_back(v);
        all += phrase(v) + " |||";
        at.push_back(all.size());
    }
    std::vector<std::uint32_t> rank(nodes.size());
    for (std::uint32_t k = 0; k < rank.size(); ++k) rank[k] = k;
    const auto line = [&](std::uint32_t k) { return std::string_view(all).substr(at[k], at[k + 1] - at[k]); };
    std::sort(rank.begin(), rank.end(), [&](std::uint32_t a, std::uint32_t b) { return line(a) < line(b); });
    for (const std::uint32_t k : rank) order_.push_back(nodes[k]);
}

std::string MosesWriter::phrase(std::uint32_t node) const {
    std::vector<std::uint32_t> ids;
    for (; node; node = parent_[node]) ids.push_back(table_.child_word[node]);
    std::reverse(ids.begin(), ids.end());
    std::string text;
    append_phrase(ids, source_, text);
    return text;
}

std::string MosesWriter::lines(std::size_t begin, std::size_t end, bool reordering) const {
    std::string text;
    std::vector<std::pair<std::string, std::uint32_t>> targets;
    for (std::size_t at = begin; at < end; ++at) {
        const std::string source = phrase(order_[at]);
        const auto [first, last] = table_.pairs(order_[at]);
        targets.clear();
        for (std::uint32_t p = first; p < last; ++p) {
            std::string target;
            append_phrase(table_.target(p), target_, target);
            targets.emplace_back(target + " |||", p);
        }
        std::sort(targets.begin(), targets.end());
        for (const auto& [target, p] : targets) {
            text += source;
            text += " ||| ";
            text += target;
            for (const float score : reordering ? table_.reordering_of(p) : table_.scores_of(p)) {
                text.push_back(' ');
                append_probability(text, score);
            }
            if (!reordering) {
                text += " |||";
                for (const std::uint16_t link : table_.links_of(p, PhraseTableView::longest)) {
                    text.push_back(' ');
                    append_whole(text, link >> 8);
                    text.push_back('-');
                    append_whole(text, link & 255);
                }
                text += " |||";
                for (std::size_t k = 0; k < 3 && !counts_.empty(); ++k) {
                    text.push_back(' ');
                    append_whole(text, counts_[3 * std::size_t{p} + k]);
                }
                text += " ||| |||";
            }
            text.push_back('\n');
        }
    }
    return text;
}

}  // namespace palmette
