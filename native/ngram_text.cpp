#include "ngram_text.hpp"

#include <algorithm>
#include <stdexcept>

#include "parallel.hpp"

namespace palmette {

namespace {

struct Piece {
    WordTable words;
    std::vector<std::uint32_t> tokens;
    std::uint64_t n_lines = 0;
    std::uint64_t bad_line = 0;  // of the piece, from 1; 0 if there is none
};

void read(std::string_view text, NgramText::Marks marks, Piece& piece) {
    piece.tokens.reserve(text.size() / 5 + 16);
    const char *at = text.data(), *const end = at + text.size();
    while (at < end) {
        piece.tokens.push_back(WordTable::begin);
        ++piece.n_lines;
        for (;;) {
            while (at < end && *at != '\n' && is_blank(*at)) ++at;
            if (at == end || *at == '\n') break;
            const char* first = at;
            while (at < end && !is_blank(*at)) ++at;
            const std::uint32_t id = piece.words.intern({first, static_cast<std::size_t>(at - first)});
            if (id == WordTable::begin || id == WordTable::end) {
                if (marks == NgramText::Marks::fail && !piece.bad_line) piece.bad_line = piece.n_lines;
                continue;
            }
            piece.tokens.push_back(id);
        }
        if (at < end) ++at;
        piece.tokens.push_back(WordTable::end);
    }
}

}  // namespace

void NgramText::add(std::string_view lines, Marks marks, int n_jobs) {
    constexpr std::size_t kSmall = 1 << 16;
    const std::size_t wanted = lines.size() < kSmall ? 1 : std::max(n_jobs, 1);
    std::vector<std::string_view> parts;
    for (std::size_t i = 0; i < wanted && !lines.empty(); ++i) {
        std::size_t cut = lines.size() / (wanted - i);
        const std::size_t newline = i + 1 == wanted ? std::string_view::npos : lines.find('\n', cut);
        cut = newline == std::string_view::npos ? lines.size() : newline + 1;
        parts.push_back(lines.substr(0, cut));
        lines.remove_prefix(cut);
    }
    std::vector<Piece> pieces(parts.size());
    parallel(parts.size(), n_jobs, [&](std::size_t i, std::size_t) { read(parts[i], marks, pieces[i]); });

    std::vector<std::size_t> first(pieces.size() + 1, tokens.size());
    std::vector<std::vector<std::uint32_t>> number(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].bad_line)
            throw std::invalid_argument("line " + std::to_string(n_lines + pieces[i].bad_line) +
                                        ": <s> and </s> mark the ends of a line and cannot stand in it");
        n_lines += pieces[i].n_lines;
        first[i + 1] = first[i] + pieces[i].tokens.size();
        for (std::uint32_t id = 0; id < pieces[i].words.size(); ++id)
            number[i].push_back(words.intern(pieces[i].words.word(id)));
    }
    if (first.back() >= 0xFFFFFFF0u) throw std::length_error("more than four thousand million words in one text");
    tokens.resize(first.back());
    parallel(pieces.size(), n_jobs, [&](std::size_t i, std::size_t) {
        std::uint32_t* out = tokens.data() + first[i];
        for (const std::uint32_t id : pieces[i].tokens) *out++ = number[i][id];
    });
}

std::vector<std::uint32_t> NgramText::word_counts() const {
    std::vector<std::uint32_t> counts(words.size(), 0);
    for (const std::uint32_t word : tokens) ++counts[word];
    return counts;
}

void NgramText::keep(const std::vector<std::uint8_t>& kept) {
    WordTable smaller;
    std::vector<std::uint32_t> number(words.size(), WordTable::unknown);
    for (std::uint32_t id = 0; id < words.size(); ++id)
        if (id <= WordTable::end || kept[id]) number[id] = smaller.intern(words.word(id));
    for (std::uint32_t& token : tokens) token = number[token];
    words = std::move(smaller);
}

}  // namespace palmette
