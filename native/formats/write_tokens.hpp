// A corpus by columns, written as text: the way back of formats/conllu.hpp and formats/columns.hpp.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace palmette {

// Strings that belong to sentences: those of sentence i are offsets[i] .. offsets[i + 1].
struct SentenceLines {
    std::span<const std::int64_t> offsets;
    std::vector<std::string_view> lines;
};

struct ColumnView {
    std::string name;
    std::span<const std::int32_t> ids;
    std::vector<std::string_view> strings;
};

struct CorpusView {
    std::span<const std::int64_t> offsets;
    std::vector<ColumnView> columns;
    SentenceLines comments;
};

// Both are O(length of the result), and throw std::invalid_argument for a corpus that the format cannot hold:
// every distinct string is checked once.

// `columns` are FORM LEMMA UPOS XPOS FEATS DEPREL DEPS MISC; a head of -1 is written as _; `after` holds for each
// extra line how many words of its sentence come before it.
std::string format_conllu(const CorpusView& corpus, std::span<const std::int32_t> heads, const SentenceLines& extras,
                          std::span<const std::int32_t> after);

// The CoNLL-U text that was read once more, with other values in one of its ten fields: word by word those of `column`.
// What is not a field of a word stays as it is, but for line ends and empty lines, which are written as above.
std::string fill_conllu(std::string_view text, std::size_t field, const ColumnView& column);

// `separator` is a tab or a space.
std::string format_columns(const CorpusView& corpus, char separator);

}  // namespace palmette
