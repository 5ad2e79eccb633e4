// Column files (CoNLL-2000, 2002, 2003 and their kin): one token per line, its columns separated by one tab
// or by runs of blanks, an empty line between sentences.
#pragma once
#include <string_view>

#include "formats/token_table.hpp"

namespace palmette {

// The separator of a text: a tab if its first token line has one, a space otherwise.
char detect_separator(std::string_view text);

// `separator` is a tab or a space (then runs of spaces and tabs separate); `n_columns` 0 takes the number of
// the first token line. In tab-separated text a line that begins with # and has no tab is a comment; in
// space-separated text there are no comments. O(length of the text); the table's views point into it.
TokenTable parse_columns(std::string_view text, char separator, std::size_t n_columns, bool lenient);

}  // namespace palmette
