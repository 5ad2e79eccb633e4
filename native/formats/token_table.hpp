// A corpus of tokens by columns, as the readers of token formats fill it: row r of column c holds the string
// `tables[c].strings()[ids[c][r]]`; the rows of sentence i are offsets[i] .. offsets[i + 1].
// All views point into the text that was read.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/intern.hpp"
#include "base/text.hpp"
#include "base/text_errors.hpp"

namespace palmette {

struct TokenTable {
    std::vector<Interner> tables;
    std::vector<std::vector<std::int32_t>> ids;
    std::vector<std::int32_t> heads;  // CoNLL-U only; -1 where there is none
    std::vector<std::int64_t> offsets{0};

    std::vector<std::string_view> comments;
    std::vector<std::int64_t> comment_offsets{0};

    // Lines that are not words of their own (CoNLL-U ranges and empty nodes), whole, with the number of words
    // of the sentence that come before them.
    std::vector<std::string_view> extras;
    std::vector<std::int32_t> extra_after;
    std::vector<std::int64_t> extra_offsets{0};

    std::vector<std::int64_t> lines;  // where each sentence begins, its comments included
    Problems problems;                // one for each sentence that was dropped

    void set_columns(std::size_t n) {
        tables.resize(n);
        ids.resize(n);
        table_sizes_.resize(n);
    }

    std::int64_t n_rows() const { return ids.empty() ? 0 : static_cast<std::int64_t>(ids[0].size()); }

    // The words read since the last sentence was closed.
    std::int64_t n_open() const { return n_rows() - offsets.back(); }

    // Adds a field; false if it is a string not seen before that no line may contain.
    bool add(std::size_t column, std::string_view field) {
        const auto [id, is_new] = tables[column].intern(field);
        ids[column].push_back(id);
        return !is_new || first_bad_byte(field) == std::string_view::npos;
    }

    void close_sentence(std::int64_t first_line);
    void drop_sentence();  // forgets what was read since the last one was closed, strings included
    void shrink();

private:
    std::vector<std::int32_t> table_sizes_;  // at the last close
};

// Reads sentences. `format` has `bool separates(line)` for a line between sentences, `bool read(line, number)`
// for a line of one, `bool end()` for its end, and `problem`, which the last two set before they return false.
// The first problem ends the reading; a lenient reading drops the sentence and goes on behind it.
template <class Format>
void read_sentences(std::string_view text, bool lenient, TokenTable& table, Format& format) {
    Lines lines(text);
    std::string_view line;
    bool open = false, bad = false;
    std::int64_t first_line = 0;

    const auto fail = [&](Problem problem) {
        table.problems.report(problem.line, std::move(problem.message));
        table.drop_sentence();
        bad = true;
        return lenient;
    };
    const auto close = [&] {
        if (open && !bad) {
            if (!format.end()) {
                if (!fail(std::move(format.problem))) return false;
            } else {
                table.close_sentence(first_line);
            }
        }
        open = bad = false;
        return true;
    };

    while (lines.next(line)) {
        if (format.separates(line)) {
            if (!close()) return;
        } else {
            if (!open) first_line = lines.number();
            open = true;
            if (bad || format.read(line, lines.number())) continue;
            // A bad byte explains best why a line could not be read.
            const std::size_t bad_byte = first_bad_byte(line);
            if (bad_byte != std::string_view::npos)
                format.problem.message = explain_bad_byte(text, line.data() - text.data() + bad_byte);
            if (!fail({lines.number(), std::move(format.problem.message)})) return;
        }
    }
    close();
}

}  // namespace palmette
