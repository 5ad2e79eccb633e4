#include "formats/brackets.hpp"

#include <array>
#include <charconv>
#include <string>

namespace palmette::trees {
namespace {

enum Kind : uint8_t { text_kind, space_kind, bracket_kind };

constexpr std::array<Kind, 256> kinds = [] {
    std::array<Kind, 256> table{};
    for (unsigned char c : {' ', '\t', '\n', '\r', '\f', '\v'}) table[c] = space_kind;
    for (unsigned char c : {'(', ')'}) table[c] = bracket_kind;
    return table;
}();

Kind kind(char c) { return kinds[uint8_t(c)]; }

class Reader {
public:
    Reader(std::string_view text, Leaves leaves, bool lenient)
        : text_(text), leaves_(leaves), lenient_(lenient) {}

    FlatTrees read() {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
        while (skip_space()) {
            const size_t start = at_, entries = flat_.symbol.size();
            const int64_t start_line = line_;
            if (text_[at_] != '(') {
                skip_stray();
            } else if (read_tree()) {
                flat_.lines.push_back(start_line);
            } else {
                flat_.cut(entries);
                at_ = start;
                line_ = start_line;
                if (lenient_) skip_tree();
            }
            if (!lenient_ && !flat_.problems.empty()) return std::move(flat_);
        }
        return std::move(flat_);
    }

private:
    struct Open {
        int32_t label;     // `outer` for a pair of brackets without a label
        int32_t children;
        int32_t entry;     // its index in the draft (numbered leaves)
        int64_t line;
    };
    static constexpr int32_t outer = -1;

    bool fail(int64_t line, std::string message) {
        flat_.problems.report(line, std::move(message));
        return false;
    }

    bool skip_space() {
        while (at_ < text_.size() && kind(text_[at_]) == space_kind) line_ += text_[at_++] == '\n';
        return at_ < text_.size();
    }

    std::string_view token() {
        const size_t start = at_;
        while (at_ < text_.size() && kind(text_[at_]) == text_kind) ++at_;
        return text_.substr(start, at_ - start);
    }

    bool at_line_start() const { return at_ == 0 || text_[at_ - 1] == '\n'; }

    // One tree; `at_` is on its opening bracket, and afterwards behind its closing one.
    bool read_tree() {
        open_.clear();
        draft_.clear();
        n_words_ = 0;
        int64_t next_tree = 0;  // the first line inside this tree that looks like the beginning of another
        while (skip_space()) {
            const char c = text_[at_];
            if (c == '(') {
                if (!open_.empty() && at_line_start() && next_tree == 0) {
                    next_tree = line_;
                    if (trees_begin_lines_) return fail_unclosed(next_tree);
                }
                ++at_;
                if (!skip_space()) {
                    open_.push_back({outer, 0, -1, line_});
                    break;
                }
                if (!open_bracket(next_tree)) return false;
            } else if (c == ')') {
                ++at_;
                if (!close_bracket()) return false;
                if (open_.empty()) return finish_tree();
            } else if (!add_word()) {
                return false;
            }
        }
        return fail_unclosed(next_tree);
    }

    bool open_bracket(int64_t next_tree) {
        const int32_t up = open_.empty() ? -1 : open_.back().entry;
        const char c = text_[at_];
        if (c == ')')
            return fail(line_, "empty brackets (); expected a label and what is below it, such as (NP time)");
        if (c == '(') {
            if (open_.empty()) {
                open_.push_back({outer, 0, -1, line_});
                return true;
            }
            if (next_tree == line_) return fail_unclosed(next_tree);
            return fail(line_, "missing label: '((' inside a tree; expected a label after each opening bracket");
        }
        const std::string_view name = token();
        const int32_t label = flat_.labels(name);
        if (label == Symbols::invalid) return fail_utf8(name);
        const int32_t entry = leaves_ == Leaves::numbered ? draft_.add(label, up, Draft::inner) : -1;
        if (!open_.empty()) ++open_.back().children;
        open_.push_back({label, 0, entry, line_});
        return true;
    }

    bool close_bracket() {
        const Open node = open_.back();
        open_.pop_back();
        if (node.children == 0)
            return fail(line_, "nothing below " + quoted(label_of(node)) +
                                   "; expected a word or a tree between the label and the closing bracket");
        if (node.label == outer) {
            if (node.children == 1) return true;  // the extra pair of brackets around a tree
            if (leaves_ == Leaves::numbered)
                return fail(node.line,
                            std::to_string(node.children) + " trees in one pair of outer brackets; expected one");
            add_entry(flat_.labels(""), -node.children);
        } else if (leaves_ == Leaves::in_order) {
            add_entry(node.label, -node.children);
        }
        return true;
    }

    bool add_word() {
        std::string_view word = token();
        Open& up = open_.back();
        if (up.label == outer)
            return fail(line_, "stray text " + quoted(word) + " in the outer brackets; expected a tree");
        int32_t position = n_words_;
        if (leaves_ == Leaves::numbered) {
            const size_t sign = word.find('=');
            const char* end = word.data() + (sign == word.npos ? 0 : sign);
            const auto [stop, error] = std::from_chars(word.data(), end, position);
            if (sign == word.npos || error != std::errc() || stop != end || position < 0 || sign + 1 == word.size())
                return fail(line_, "the leaf " + quoted(word) + " is not position=word, such as 0=time");
            word.remove_prefix(sign + 1);
        }
        const int32_t id = flat_.words(word);
        if (id == Symbols::invalid) return fail_utf8(word);
        ++up.children;
        ++n_words_;
        if (leaves_ == Leaves::numbered)
            draft_.add(id, up.entry, position);
        else
            add_entry(id, position);
        return true;
    }

    bool finish_tree() {
        if (leaves_ == Leaves::in_order) {
            flat_.ends.push_back(int64_t(flat_.symbol.size()));
            return true;
        }
        if (!check_positions()) return false;
        append(draft_, flat_);
        return true;
    }

    bool check_positions() {
        std::vector<int32_t> word_at(n_words_, -1);
        for (size_t i = 0; i < draft_.symbol.size(); ++i) {
            const int32_t position = draft_.position[i];
            if (position == Draft::inner) continue;
            const std::string_view word = flat_.words.strings()[draft_.symbol[i]];
            if (position >= n_words_)
                return fail(line_, "position " + std::to_string(position) + " of " + quoted(word) + " in a tree of " +
                                       std::to_string(n_words_) + " words; expected each position from 0 to " +
                                       std::to_string(n_words_ - 1) + " once");
            if (word_at[position] >= 0)
                return fail(line_, "position " + std::to_string(position) + " appears twice, for " +
                                       quoted(flat_.words.strings()[word_at[position]]) + " and " + quoted(word));
            word_at[position] = draft_.symbol[i];
        }
        return true;
    }

    void add_entry(int32_t symbol, int32_t number) {
        flat_.symbol.push_back(symbol);
        flat_.number.push_back(number);
    }

    std::string label_of(const Open& node) const {
        return node.label == outer ? std::string() : std::string(flat_.labels.strings()[node.label]);
    }

    bool fail_unclosed(int64_t next_tree) {
        if (next_tree != 0) trees_begin_lines_ = true;
        const Open &first = open_.front(), &last = open_.back();
        std::string message = "the bracket " + quoted("(" + label_of(first)) + " opened here is never closed";
        if (next_tree != 0)
            message += " (line " + std::to_string(next_tree) + " looks like the beginning of the next tree)";
        else if (open_.size() > 1)
            message += " (" + std::to_string(open_.size()) + " are open at the end; the last of them, " +
                       quoted("(" + label_of(last)) + ", since line " + std::to_string(last.line) + ")";
        return fail(first.line, std::move(message));
    }

    bool fail_utf8(std::string_view text) {
        return fail(line_, explain_bad_byte(text_, size_t(text.data() - text_.data()) + first_invalid_utf8(text)));
    }

    void skip_stray() {
        if (text_[at_] == ')') {
            ++at_;
            fail(line_, "a closing bracket where none is open");
        } else {
            const std::string_view stray = token();
            if (first_invalid_utf8(stray) != stray.npos) fail_utf8(stray);
            else fail(line_, "stray text " + quoted(stray) + " between trees; expected an opening bracket");
        }
        while (at_ < text_.size() && text_[at_] != '(') line_ += text_[at_++] == '\n';
    }

    // To the end of the tree whose opening bracket `at_` is on, or to the next line that begins with a bracket.
    void skip_tree() {
        int64_t depth = 0;
        do {
            const char c = text_[at_++];
            if (c == '(') ++depth;
            if (c == ')') --depth;
            if (c == '\n') {
                ++line_;
                if (at_ < text_.size() && text_[at_] == '(') {
                    trees_begin_lines_ = true;  // so that no part of the text is read more than twice
                    if (flat_.problems.last_line() >= line_ && !open_.empty()) {  // found in what is read again
                        flat_.problems.retract();
                        fail_unclosed(line_);
                    }
                    return;
                }
            }
        } while (depth > 0 && at_ < text_.size());
    }

    std::string_view text_;
    Leaves leaves_;
    bool lenient_;
    size_t at_ = 0;
    int64_t line_ = 1;
    bool trees_begin_lines_ = false;
    std::vector<Open> open_;
    Draft draft_;
    int32_t n_words_ = 0;
    FlatTrees flat_;
};

}  // namespace

FlatTrees read_brackets(std::string_view text, Leaves leaves, bool lenient) {
    return Reader(text, leaves, lenient).read();
}

std::string unescape_brackets(std::string_view text, bool is_word) {
    std::string plain;
    size_t backslashes = 0;
    for (size_t i = 0; i < text.size();) {
        const std::string_view code = text.substr(i, 5);
        const bool left = code == "#LRB#" || (is_word && code == "-LRB-");
        const bool right = code == "#RRB#" || (is_word && code == "-RRB-");
        if (left || right) {
            plain.erase(plain.size() - (backslashes + 1) / 2);
            if (backslashes % 2 == 1)
                plain += code;
            else
                plain += left ? '(' : ')';
            i += 5;
            backslashes = 0;
        } else {
            backslashes = text[i] == '\\' ? backslashes + 1 : 0;
            plain += text[i++];
        }
    }
    return plain;
}

}  // namespace palmette::trees
