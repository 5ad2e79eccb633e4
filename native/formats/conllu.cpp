#include "formats/conllu.hpp"

#include <array>
#include <cstring>

namespace palmette {
namespace {

constexpr std::size_t n_fields = 10, id_field = 0, head_field = 6;
constexpr std::array<const char*, n_fields> names = {"ID",   "FORM", "LEMMA",  "UPOS", "XPOS",
                                                     "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"};

enum class Digits { number, none, zero_first, too_long };

// A number written the one way that a number is written: digits, no sign, no zero in front.
Digits parse_number(std::string_view text, std::int32_t& value) {
    if (text.empty()) return Digits::none;
    value = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const unsigned digit = static_cast<unsigned char>(text[i]) - '0';
        if (digit > 9) return Digits::none;
        if (i < 9) value = value * 10 + static_cast<std::int32_t>(digit);
    }
    if (text.size() > 1 && text[0] == '0') return Digits::zero_first;
    return text.size() > 9 ? Digits::too_long : Digits::number;
}

std::size_t count_blank_separated(std::string_view line) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const auto blank = [](char c) { return c == ' ' || c == '\t'; };
        if (!blank(line[i]) && (i == 0 || blank(line[i - 1]))) ++n;
    }
    return n;
}

// Whether a line may hold a byte that first_bad_byte would find: one above ASCII, a NUL or a carriage return.
bool needs_a_look(std::string_view line) {
    constexpr std::uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
    std::uint64_t found = 0;
    const auto look = [&](std::uint64_t word) {
        const std::uint64_t returns = word ^ (ones * '\r');
        found |= (word | ((word - ones) & ~word) | ((returns - ones) & ~returns)) & high;
    };
    std::size_t i = 0;
    std::uint64_t word;
    for (; i + 8 <= line.size(); i += 8) {
        std::memcpy(&word, line.data() + i, 8);
        look(word);
    }
    word = ones * ' ';
    std::memcpy(&word, line.data() + i, line.size() - i);
    look(word);
    return found != 0;
}

class Conllu {
public:
    Conllu(TokenTable& table, unsigned wanted) : table_(table), wanted_(wanted | 1) { table_.set_columns(n_fields - 2); }

    Problem problem;

    bool separates(std::string_view line) const { return line.empty(); }

    bool read(std::string_view line, std::int64_t number) {
        if (at_beginning_) begin(number);
        if (line[0] == '#') return read_comment(line, number);
        if (!split(line, number)) return false;
        std::int32_t id;
        if (parse_number(fields_[id_field], id) == Digits::number && id == n_words() + 1) return read_word(line, number);
        return read_other(line, number);
    }

    bool end() {
        at_beginning_ = true;
        const std::int64_t n = n_words();
        if (n == 0 && n_extras() == 0) return fail(first_line_, "comments without a sentence below them");
        if (n == 0) return fail(first_line_, "a sentence without words");
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int32_t head = table_.heads[table_.offsets.back() + i];
            if (head > n)
                return fail(lines_[i], "head " + std::to_string(head) + " in a sentence of " + std::to_string(n) + tokens(n));
        }
        if (range_end_ > n)
            return fail(range_line_, "the range ends at " + std::to_string(range_end_) + " in a sentence of " +
                                         std::to_string(n) + tokens(n));
        return true;
    }

private:
    static const char* tokens(std::int64_t n) { return n == 1 ? " token" : " tokens"; }

    std::int64_t n_words() const { return table_.n_open(); }
    std::int64_t n_extras() const {
        return static_cast<std::int64_t>(table_.extras.size()) - table_.extra_offsets.back();
    }

    void begin(std::int64_t number) {
        at_beginning_ = false;
        lines_.clear();
        range_end_ = 0;
        last_empty_ = {0, 0};
        first_line_ = number;
    }

    bool fail(std::int64_t line, std::string message) {
        at_beginning_ = true;
        problem = {line, std::move(message)};
        return false;
    }

    bool read_comment(std::string_view line, std::int64_t number) {
        if (n_words() + n_extras() > 0)
            return fail(number, "comment inside a sentence: comments go above its first token, or an empty line is missing");
        if (wanted_ == kAllColumns) table_.comments.push_back(line);
        return first_bad_byte(line) == std::string_view::npos || fail(number, "");
    }

    bool split(std::string_view line, std::int64_t number) {
        std::size_t n = 0, from = 0;
        for (std::size_t i = 0; i <= line.size(); ++i) {
            if (i < line.size() && line[i] != '\t') continue;
            if (n < n_fields) fields_[n] = line.substr(from, i - from);
            ++n;
            from = i + 1;
        }
        if (n != n_fields) return fail(number, explain_count(line, n));
        for (std::size_t c = 0; c < n_fields; ++c)
            if (fields_[c].empty())
                return fail(number, std::string("empty ") + names[c] + (c == 1 ? "" : ": a column without a value holds _"));
        return true;
    }

    static std::string explain_count(std::string_view line, std::size_t n) {
        if (line.find_first_not_of(" \t") == std::string_view::npos)
            return "a line of blanks only: the line between sentences is empty";
        std::string message = "found " + std::to_string(n) + " tab-separated column" + (n == 1 ? "" : "s") + ", CoNLL-U has 10";
        if (n < n_fields && count_blank_separated(line) == n_fields)
            message += "; it would have 10 if spaces were tabs: separate the columns with tabs";
        return message;
    }

    bool read_word(std::string_view line, std::int64_t number) {
        std::int32_t head = -1;
        const std::string_view text = fields_[head_field];
        if (text != "_" && parse_number(text, head) != Digits::number) return fail(number, explain_head(text));
        bool clean = true;
        if (wanted_ == kAllColumns) {
            for (std::size_t c = 1; c < head_field; ++c) clean &= table_.add(c - 1, fields_[c]);
            for (std::size_t c = head_field + 1; c < n_fields; ++c) clean &= table_.add(c - 2, fields_[c]);
        } else {
            for (std::size_t c = 0; c < n_fields - 2; ++c)
                if (wanted_ >> c & 1) table_.add(c, fields_[c < head_field - 1 ? c + 1 : c + 2]);
            clean = !needs_a_look(line) || first_bad_byte(line) == std::string_view::npos;
        }
        table_.heads.push_back(head);
        lines_.push_back(number);
        return clean || fail(number, "");
    }

    static std::string explain_head(std::string_view text) {
        std::int32_t value;
        const std::string head = "head " + quoted(text);
        if (text.size() > 1 && text[0] == '-' && parse_number(text.substr(1), value) != Digits::none)
            return head + " is negative: a head is 0 for the root, the id of a word, or _";
        switch (parse_number(text, value)) {
            case Digits::too_long: return head + " is too large for any sentence";
            case Digits::zero_first: return head + " has a zero in front: write the number without it";
            default: return head + " is not an integer: a head is 0 for the root, the id of a word, or _";
        }
    }

    // A line whose id is not that of the next word: a range, an empty node, or a mistake.
    bool read_other(std::string_view line, std::int64_t number) {
        const std::string_view id = fields_[id_field];
        const std::string next = std::to_string(n_words() + 1);
        std::int32_t first, second;
        if (parse_number(id, first) != Digits::none)
            return fail(number, "token id " + quoted(id) + " where " + next + " was expected" +
                                    (id == "1" ? ": is an empty line missing above it?" : ""));
        const std::size_t mark = id.find_first_of("-.");
        if (mark == std::string_view::npos || parse_number(id.substr(0, mark), first) != Digits::number ||
            parse_number(id.substr(mark + 1), second) != Digits::number)
            return fail(number, "token id " + quoted(id) + " is neither a number, a range such as 3-4, nor an empty node such as 8.1");
        if (!(id[mark] == '-' ? check_range(id, first, second, number) : check_empty_node(id, first, second, number)))
            return false;
        table_.extras.push_back(line);
        table_.extra_after.push_back(static_cast<std::int32_t>(n_words()));
        return first_bad_byte(line) == std::string_view::npos || fail(number, "");
    }

    bool check_range(std::string_view id, std::int32_t first, std::int32_t last, std::int64_t number) {
        if (last < first) return fail(number, "range " + quoted(id) + " ends before it begins");
        if (first <= range_end_)
            return fail(number, "range " + quoted(id) + " overlaps the one before it, which ends at " + std::to_string(range_end_));
        if (first != n_words() + 1)
            return fail(number, "range " + quoted(id) + " out of order: it comes before token " +
                                    std::to_string(n_words() + 1) + ", and so must begin with it");
        range_end_ = last;
        range_line_ = number;
        return true;
    }

    bool check_empty_node(std::string_view id, std::int32_t after, std::int32_t place, std::int64_t number) {
        const std::int32_t before = last_empty_.word == after ? last_empty_.place : 0;
        if (after != n_words() || place != before + 1)
            return fail(number, "empty node " + quoted(id) + " where " + std::to_string(n_words()) + "." +
                                    std::to_string((last_empty_.word == n_words() ? last_empty_.place : 0) + 1) +
                                    " was expected");
        last_empty_ = {after, place};
        return true;
    }

    struct EmptyNode {
        std::int32_t word, place;
    };

    TokenTable& table_;
    unsigned wanted_;
    std::array<std::string_view, n_fields> fields_;
    std::vector<std::int64_t> lines_;  // of the words of this sentence
    bool at_beginning_ = true;
    std::int64_t first_line_ = 0, range_line_ = 0;
    std::int32_t range_end_ = 0;  // the last word inside a range so far
    EmptyNode last_empty_{0, 0};
};

}  // namespace

TokenTable parse_conllu(std::string_view text, bool lenient, unsigned wanted) {
    TokenTable table;
    Conllu format(table, wanted);
    read_sentences(text, lenient, table, format);
    table.shrink();
    return table;
}

}  // namespace palmette
