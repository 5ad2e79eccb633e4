#include "formats/negra_export.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

namespace palmette::trees {
namespace {

constexpr int32_t first_number = 500;  // nonterminals are numbered from here

// A whole text as a number ≥ 0, or -1.
int32_t as_number(std::string_view text) {
    int32_t value = -1;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && stop == text.data() + text.size() && value >= 0 ? value : -1;
}

// The number of a nonterminal from its first column ("#512"), or -1 where that column is a word.
int32_t node_number(std::string_view column) {
    if (column.size() < 4 || column[0] != '#') return -1;
    const int32_t number = as_number(column.substr(1));
    return number >= first_number ? number : -1;
}

std::string_view trimmed(std::string_view text) {
    const size_t start = text.find_first_not_of(" \r");
    if (start == text.npos) return {};
    return text.substr(start, text.find_last_not_of(" \r") - start + 1);
}

// Columns are separated by runs of tabs; in a line without a tab, by runs of spaces.
void split(std::string_view line, std::vector<std::string_view>& columns) {
    columns.clear();
    const char separator = line.find('\t') == line.npos ? ' ' : '\t';
    for (size_t at = 0; at < line.size();) {
        const size_t end = std::min(line.find(separator, at), line.size());
        if (const auto column = trimmed(line.substr(at, end - at)); !column.empty()) columns.push_back(column);
        at = end + 1;
    }
}

bool is_directive(std::string_view line, std::string_view name) {
    if (!line.starts_with(name)) return false;
    return line.size() == name.size() || line[name.size()] == ' ' || line[name.size()] == '\t';
}

class ExportReader {
public:
    ExportReader(std::string_view text, std::string_view root, bool lenient) : text_(text), lenient_(lenient) {
        root_ = flat().labels(root);
    }

    ExportTrees read() {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
        size_t before = at_;
        bool skipping = false;
        int64_t table = 0;  // the line of an open #BOT, or 0
        while (next_line()) {
            if (table != 0) {
                if (is_directive(line_, "#EOT")) table = 0;
            } else if (is_directive(line_, "#BOS")) {
                skipping = !read_sentence(text_.substr(before, line_start_ - before));
                before = at_;
            } else if (is_directive(line_, "#BOT")) {
                table = number_;
            } else if (is_directive(line_, "#FORMAT")) {
                read_version();
            } else if (skipping) {
                before = at_;
            } else if (!line_.empty() && !line_.starts_with("%%") && !line_.starts_with("#")) {
                if (is_utf8(line_, number_))
                    fail(number_, "text outside a sentence: " + quoted(line_) + "; expected #BOS before it");
                skipping = true;
                before = at_;
            }
            if (!lenient_ && !flat().problems.empty()) return std::move(result_);
        }
        if (table != 0) fail(table, "the table that #BOT opens here has no #EOT");
        return std::move(result_);
    }

private:
    FlatTrees& flat() { return result_.flat; }

    bool fail(int64_t line, std::string message) {
        flat().problems.report(line, std::move(message));
        return false;
    }

    // Whether a piece of the text is UTF-8; if not, that is reported.
    bool is_utf8(std::string_view piece, int64_t line) {
        const size_t place = first_invalid_utf8(piece);
        return place == piece.npos || fail(line, explain_bad_byte(text_, size_t(piece.data() - text_.data()) + place));
    }

    bool next_line() {
        if (at_ >= text_.size()) return false;
        line_start_ = at_;
        const size_t end = std::min(text_.find('\n', at_), text_.size());
        line_ = text_.substr(at_, end - at_);
        while (!line_.empty() && (line_.back() == '\r' || line_.back() == ' ')) line_.remove_suffix(1);
        at_ = std::min(end + 1, text_.size());
        ++number_;
        return true;
    }

    void unread_line() {
        at_ = line_start_;
        --number_;
    }

    void read_version() {
        const std::string_view value = trimmed(line_.substr(7));
        version_ = as_number(value);
        if (version_ == 3 || version_ == 4) return;
        version_ = 0;
        fail(number_, "#FORMAT " + std::string(value) + "; expected version 3 or 4");
    }

    // The lines from behind #BOS to #EOS.
    bool read_sentence(std::string_view before) {
        const int64_t bos_line = number_;
        const std::string_view bos = trimmed(line_.substr(4));
        if (!is_utf8(before, bos_line) || !is_utf8(bos, bos_line)) return false;
        draft_.clear();
        draft_.add(root_, -1, Draft::inner);
        parents_.assign(1, {0, bos_line});
        entries_.clear();
        int32_t n_words = 0;
        while (next_line()) {
            if (line_.empty()) continue;
            if (is_directive(line_, "#BOS")) {
                unread_line();
                return fail_unclosed(bos, bos_line);
            }
            if (is_directive(line_, "#EOS")) {
                const std::string_view eos = trimmed(line_.substr(4));
                if (!is_utf8(eos, number_)) return false;
                if (first_word(eos) != first_word(bos))
                    return fail(number_, "#EOS " + std::string(eos) + " closes #BOS " + std::string(first_word(bos)) +
                                             " of line " + std::to_string(bos_line));
                if (n_words == 0) return fail(bos_line, "sentence " + std::string(first_word(bos)) + " has no words");
                if (!link() || !append_draft()) return false;
                flat().lines.push_back(bos_line);
                result_.sentences.push_back({before, bos, eos, version_});
                return true;
            }
            if (!read_line(n_words)) return false;
        }
        return fail_unclosed(bos, bos_line);
    }

    static std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of(" \t")); }

    bool fail_unclosed(std::string_view bos, int64_t line) {
        return fail(line, "sentence " + std::string(first_word(bos)) + " has no #EOS");
    }

    bool read_line(int32_t& n_words) {
        split(line_, columns_);
        std::string_view comment;
        for (size_t i = 5; i < columns_.size(); ++i) {
            if (!columns_[i].starts_with("%%")) continue;
            comment = trimmed(line_.substr(size_t(columns_[i].data() - line_.data())));
            columns_.resize(i);
        }
        const size_t n = columns_.size();
        if (n < 5 && line_.starts_with("%%")) return true;
        if (version_ == 0 && n >= 5) version_ = n % 2 == 1 ? 3 : 4;
        const size_t expected = version_ == 4 ? 6 : 5;
        if (n < expected || (n - expected) % 2 != 0)
            return fail(number_, std::to_string(n) + " columns; expected " +
                                     (expected == 6 ? "6 (word, lemma, tag, morph, edge, parent)"
                                                    : "5 (word, tag, morph, edge, parent)") +
                                     " and 2 more for each secondary edge");
        if (!is_utf8(line_, number_)) return false;

        const size_t tag = expected - 4;
        const int32_t number = node_number(columns_[0]);
        const int32_t parent = as_number(columns_[tag + 3]);
        if (parent < 0) return fail(number_, "the parent " + quoted(columns_[tag + 3]) + " is not a number");
        const int32_t entry = draft_.add(flat().labels(columns_[tag]), -1, Draft::inner);
        parents_.push_back({parent, number_});
        if (number >= 0) {
            if (!entries_.try_emplace(number, entry).second)
                return fail(number_, "node #" + std::to_string(number) + " appears twice in its sentence");
        } else {
            draft_.add(flat().words(columns_[0]), entry, n_words++);
            parents_.push_back({-1, number_});
        }
        return add_note(entry, number, tag, comment);
    }

    bool add_note(int32_t entry, int32_t number, size_t tag, std::string_view comment) {
        Symbols& columns = flat().columns;
        Note note{columns(version_ == 4 ? columns_[1] : "--"), columns(columns_[tag + 1]), columns(columns_[tag + 2]),
                  number, comment.empty() ? -1 : columns(comment), {}};
        for (size_t i = tag + 4; i + 1 < columns_.size(); i += 2) {
            const int32_t target = as_number(columns_[i + 1]);
            if (target < 0)
                return fail(number_, "the secondary parent " + quoted(columns_[i + 1]) + " is not a number");
            note.secondary.push_back({columns(columns_[i]), target});
        }
        if (note.comment < 0 && note.secondary.empty()) {
            const auto key = std::tuple(note.lemma, note.morph, note.edge, number);
            const auto [known, is_new] = notes_.try_emplace(key, int32_t(flat().notes.size()));
            draft_.note[entry] = known->second;
            if (!is_new) return true;
        } else {
            draft_.note[entry] = int32_t(flat().notes.size());
        }
        flat().notes.push_back(std::move(note));
        return true;
    }

    // Parent numbers to entries. Words keep the parent they have: their own tag.
    bool link() {
        std::vector<bool> has_children(draft_.symbol.size(), false);
        for (size_t i = 1; i < draft_.symbol.size(); ++i) {
            const auto [parent, line] = parents_[i];
            if (parent > 0) {
                const auto found = entries_.find(parent);
                if (found == entries_.end())
                    return fail(line, "parent " + std::to_string(parent) + " does not exist in this sentence");
                draft_.parent[i] = found->second;
            } else if (parent == 0) {
                draft_.parent[i] = 0;
            }
            has_children[draft_.parent[i]] = true;
        }
        for (const auto& [number, entry] : entries_)
            if (!has_children[entry])
                return fail(parents_[entry].second, "node #" + std::to_string(number) + " has nothing below it");
        return true;
    }

    bool append_draft() {
        int32_t lost = append(draft_, flat());
        if (lost < 0) return true;
        for (size_t i = 0; i < draft_.symbol.size(); ++i) lost = draft_.parent[lost];  // up, and into the cycle
        for (int32_t i = draft_.parent[lost], last = lost; i != last; i = draft_.parent[i]) lost = std::min(lost, i);
        return fail(parents_[lost].second, "a cycle: following the parents from this node leads back to it");
    }

    std::string_view text_;
    bool lenient_;
    size_t at_ = 0, line_start_ = 0;
    int64_t number_ = 0;
    std::string_view line_;
    int32_t version_ = 0, root_ = 0;
    std::vector<std::string_view> columns_;
    Draft draft_;
    std::vector<std::pair<int32_t, int64_t>> parents_;  // per entry: the number of its parent, and its line
    std::map<int32_t, int32_t> entries_;                // number of a nonterminal: its entry
    std::map<std::tuple<int32_t, int32_t, int32_t, int32_t>, int32_t> notes_;
    ExportTrees result_;
};

}  // namespace

ExportTrees read_export(std::string_view text, std::string_view root, bool lenient) {
    return ExportReader(text, root, lenient).read();
}

}  // namespace palmette::trees
