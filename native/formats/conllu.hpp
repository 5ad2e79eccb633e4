// CoNLL-U: ten tab-separated columns ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC, one line per word.
// The basic words become the rows of a table of eight string columns (all but ID, which counts from 1, and
// HEAD, an integer); ranges (3-4) and empty nodes (8.1) are kept beside them as whole lines.
#pragma once
#include <string_view>

#include "formats/token_table.hpp"

namespace palmette {

// O(length of the text); the table's views point into it. With `wanted`, a bit for each of the eight columns (the
// lowest is FORM, which is always read), the others stay empty, and so do comments and heads; all is checked as ever.
constexpr unsigned kAllColumns = 0xFF;
TokenTable parse_conllu(std::string_view text, bool lenient, unsigned wanted = kAllColumns);

}  // namespace palmette
