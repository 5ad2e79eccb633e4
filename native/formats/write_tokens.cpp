#include "formats/write_tokens.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <stdexcept>

#include "base/text.hpp"

namespace palmette {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

void append_number(std::string& out, std::int64_t number) {
    char digits[24];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void check_offsets(std::span<const std::int64_t> offsets, std::size_t n_sentences, std::size_t n_rows) {
    if (offsets.size() != n_sentences + 1 || offsets.front() != 0 ||
        offsets.back() != static_cast<std::int64_t>(n_rows) || !std::is_sorted(offsets.begin(), offsets.end()))
        refuse("offsets must rise from 0 to the number of rows, one more of them than sentences");
}

void check_lines(const SentenceLines& lines, std::size_t n_sentences) {
    check_offsets(lines.offsets, n_sentences, lines.lines.size());
    for (const std::string_view line : lines.lines)
        if (line.find('\n') != line.npos || first_bad_byte(line) != line.npos)
            refuse("the line " + quoted(line) + " has a line end or a NUL inside");
}

void check_comments(const SentenceLines& comments, std::size_t n_sentences) {
    check_lines(comments, n_sentences);
    for (const std::string_view comment : comments.lines)
        if (comment.empty() || comment[0] != '#') refuse("the comment " + quoted(comment) + " must begin with #");
}

// `forbidden`: the bytes that a field may not hold.
void check_column(const ColumnView& column, std::size_t n_rows, std::string_view forbidden, bool may_be_empty) {
    if (column.ids.size() != n_rows) refuse("column '" + column.name + "' must have one id for every row");
    for (const std::string_view field : column.strings) {
        if (field.empty() && !may_be_empty)
            refuse("column '" + column.name + "' holds an empty string, which this format cannot: use _");
        if (field.find_first_of(forbidden) != field.npos)
            refuse("column '" + column.name + "' holds " + quoted(field) + ", which would be read as more than one field");
    }
    for (const std::int32_t id : column.ids)
        if (id < 0 || static_cast<std::size_t>(id) >= column.strings.size())
            refuse("column '" + column.name + "' has the id " + std::to_string(id) + " and " +
                   std::to_string(column.strings.size()) + " strings");
}

constexpr std::string_view tab_forbidden("\t\n\r\0", 4), space_forbidden(" \t\n\r\0", 5);

// Writes the fields first .. last of a row, with the separator between them.
void append_fields(std::string& out, const CorpusView& corpus, std::int64_t row, std::size_t first, std::size_t last,
                   char separator) {
    for (std::size_t c = first; c < last; ++c) {
        if (c > first) out += separator;
        out += corpus.columns[c].strings[corpus.columns[c].ids[row]];
    }
}

void append_comments(std::string& out, const CorpusView& corpus, std::size_t sentence) {
    for (std::int64_t k = corpus.comments.offsets[sentence]; k < corpus.comments.offsets[sentence + 1]; ++k) {
        out += corpus.comments.lines[k];
        out += '\n';
    }
}

}  // namespace

std::string format_conllu(const CorpusView& corpus, std::span<const std::int32_t> heads, const SentenceLines& extras,
                          std::span<const std::int32_t> after) {
    constexpr std::size_t n_columns = 8, head_at = 5;
    if (corpus.columns.size() != n_columns) refuse("CoNLL-U has eight columns of strings");
    const std::size_t n = corpus.offsets.size() - 1, n_rows = heads.size();
    check_offsets(corpus.offsets, n, n_rows);
    check_comments(corpus.comments, n);
    check_lines(extras, n);
    if (after.size() != extras.lines.size()) refuse("every extra line must have its place");
    for (const std::string_view line : extras.lines)
        if (std::count(line.begin(), line.end(), '\t') != 9) refuse("the line " + quoted(line) + " must have 10 columns");
    for (const ColumnView& column : corpus.columns) check_column(column, n_rows, tab_forbidden, false);

    std::string out;
    out.reserve(n_rows * 40);
    for (std::size_t i = 0; i < n; ++i) {
        append_comments(out, corpus, i);
        std::int64_t extra = extras.offsets[i];
        const auto append_extras = [&](std::int64_t words_before) {
            for (; extra < extras.offsets[i + 1] && after[extra] <= words_before; ++extra) {
                out += extras.lines[extra];
                out += '\n';
            }
        };
        const std::int64_t from = corpus.offsets[i], length = corpus.offsets[i + 1] - from;
        for (std::int64_t j = 0; j < length; ++j) {
            append_extras(j);
            append_number(out, j + 1);
            out += '\t';
            append_fields(out, corpus, from + j, 0, head_at, '\t');
            out += '\t';
            if (heads[from + j] < 0) out += '_';
            else append_number(out, heads[from + j]);
            out += '\t';
            append_fields(out, corpus, from + j, head_at, n_columns, '\t');
            out += '\n';
        }
        append_extras(length);
        if (extra != extras.offsets[i + 1]) refuse("an extra line is behind the end of its sentence");
        out += '\n';
    }
    return out;
}

std::string fill_conllu(std::string_view text, std::size_t field, const ColumnView& column) {
    if (field < 1 || field > 9) refuse("a field of CoNLL-U to fill is one of 1 to 9");
    check_column(column, column.ids.size(), tab_forbidden, false);
    std::string out;
    out.reserve(text.size() + text.size() / 16 + 64);
    std::size_t row = 0;
    bool open = false;
    Lines lines(text);
    std::string_view line;
    while (lines.next(line)) {
        if (line.empty()) {
            if (open) out += '\n';
            open = false;
            continue;
        }
        open = true;
        const char* end = line.data() + line.size();
        const char* at = static_cast<const char*>(std::memchr(line.data(), '\t', line.size()));
        const bool word = line[0] != '#' && at && std::find_if(line.data(), at, [](char c) { return c == '-' || c == '.'; }) == at;
        if (word) {
            for (std::size_t f = 1; f < field && at; ++f)
                at = static_cast<const char*>(std::memchr(at + 1, '\t', static_cast<std::size_t>(end - at - 1)));
            if (!at || row == column.ids.size()) refuse("the text is not the one that was read");
            ++at;
            const char* rest = static_cast<const char*>(std::memchr(at, '\t', static_cast<std::size_t>(end - at)));
            out.append(line.data(), at);
            out += column.strings[column.ids[row++]];
            if (rest) out.append(rest, end);
        } else {
            out += line;
        }
        out += '\n';
    }
    if (open) out += '\n';
    if (row != column.ids.size()) refuse("the text is not the one that was read");
    return out;
}

std::string format_columns(const CorpusView& corpus, char separator) {
    if (corpus.columns.empty()) refuse("a column file needs at least one column");
    const bool tab = separator == '\t';
    const std::size_t n = corpus.offsets.size() - 1, n_rows = corpus.columns[0].ids.size();
    check_offsets(corpus.offsets, n, n_rows);
    check_comments(corpus.comments, n);
    for (std::size_t c = 0; c < corpus.columns.size(); ++c)
        check_column(corpus.columns[c], n_rows, tab ? tab_forbidden : space_forbidden, tab && c > 0);
    if (!tab && !corpus.comments.lines.empty())
        refuse("a space-separated file cannot hold comments: separate with tabs, or leave the comments out");
    for (const std::string_view comment : corpus.comments.lines)
        if (comment.find('\t') != comment.npos)
            refuse("the comment " + quoted(comment) + " has a tab, so it would be read as a token");
    if (tab && corpus.columns.size() == 1)
        for (const std::string_view field : corpus.columns[0].strings)
            if (field[0] == '#')
                refuse("the only column holds " + quoted(field) + ", which would be read as a comment: separate with spaces");

    std::string out;
    out.reserve(n_rows * corpus.columns.size() * 6);
    for (std::size_t i = 0; i < n; ++i) {
        append_comments(out, corpus, i);
        for (std::int64_t row = corpus.offsets[i]; row < corpus.offsets[i + 1]; ++row) {
            append_fields(out, corpus, row, 0, corpus.columns.size(), separator);
            out += '\n';
        }
        out += '\n';
    }
    return out;
}

}  // namespace palmette
