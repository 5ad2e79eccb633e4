#include "formats/columns.hpp"

namespace palmette {
namespace {

constexpr std::size_t max_columns = 256;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool all_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

class Columns {
public:
    Columns(TokenTable& table, char separator, std::size_t n_columns)
        : table_(table), separator_(separator), n_columns_(n_columns), named_(n_columns > 0) {
        table_.set_columns(n_columns);
    }

    Problem problem;

    bool separates(std::string_view line) const { return separator_ == ' ' ? all_blank(line) : line.empty(); }

    bool read(std::string_view line, std::int64_t number) {
        if (separator_ == '\t' && line[0] == '#' && line.find('\t') == std::string_view::npos)
            return read_comment(line, number);
        split(line);
        if (fields_.size() > max_columns)
            return fail(number, "found " + std::to_string(fields_.size()) + " columns, more than the 256 a column file may have");
        if (n_columns_ == 0) {
            n_columns_ = fields_.size();
            first_line_ = number;
            table_.set_columns(n_columns_);
        }
        if (fields_.size() != n_columns_) return fail(number, explain_count(line));
        if (fields_[0].empty()) return fail(number, "the first column is empty");
        bool clean = true;
        for (std::size_t c = 0; c < n_columns_; ++c) clean &= table_.add(c, fields_[c]);
        return clean || fail(number, "");
    }

    bool end() {
        return table_.n_open() > 0 || fail(comment_line_, "comments without a sentence below them");
    }

private:
    bool fail(std::int64_t line, std::string message) {
        problem = {line, std::move(message)};
        return false;
    }

    bool read_comment(std::string_view line, std::int64_t number) {
        if (table_.n_open() > 0)
            return fail(number, "comment inside a sentence: comments go above its first token, or an empty line is missing");
        if (static_cast<std::int64_t>(table_.comments.size()) == table_.comment_offsets.back()) comment_line_ = number;
        table_.comments.push_back(line);
        return first_bad_byte(line) == std::string_view::npos || fail(number, "");
    }

    void split(std::string_view line) {
        fields_.clear();
        if (separator_ == '\t') {
            std::size_t from = 0;
            for (std::size_t i = 0; i <= line.size(); ++i) {
                if (i < line.size() && line[i] != '\t') continue;
                fields_.push_back(line.substr(from, i - from));
                from = i + 1;
            }
            return;
        }
        for (std::size_t i = 0; i < line.size();) {
            if (is_blank(line[i])) {
                ++i;
                continue;
            }
            const std::size_t from = i;
            while (i < line.size() && !is_blank(line[i])) ++i;
            fields_.push_back(line.substr(from, i - from));
        }
    }

    std::string explain_count(std::string_view line) const {
        const std::size_t n = fields_.size();
        std::string message = "found " + std::to_string(n) + (separator_ == '\t' ? " tab" : " space");
        message += std::string("-separated column") + (n == 1 ? "" : "s") + ", expected " + std::to_string(n_columns_);
        message += named_ ? " as named" : " as in line " + std::to_string(first_line_);
        if (separator_ == ' ' && line[0] == '#') message += "; only tab-separated files can have comments";
        return message;
    }

    TokenTable& table_;
    const char separator_;
    std::size_t n_columns_;
    const bool named_;
    std::vector<std::string_view> fields_;
    std::int64_t first_line_ = 0, comment_line_ = 0;
};

}  // namespace

char detect_separator(std::string_view text) {
    Lines lines(text);
    std::string_view line;
    bool tab_in_hash_line = false;
    while (lines.next(line)) {
        if (all_blank(line)) continue;
        const bool has_tab = line.find('\t') != std::string_view::npos;
        if (line[0] != '#') return has_tab ? '\t' : ' ';
        tab_in_hash_line |= has_tab;
    }
    return tab_in_hash_line ? '\t' : ' ';
}

TokenTable parse_columns(std::string_view text, char separator, std::size_t n_columns, bool lenient) {
    TokenTable table;
    Columns format(table, separator, n_columns);
    read_sentences(text, lenient, table, format);
    table.shrink();
    return table;
}

}  // namespace palmette
