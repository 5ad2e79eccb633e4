#include "tools/translation/rules/fragment_text.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string_view>

#include "base/word_table.hpp"
#include "tools/translation/rules/ghkm.hpp"

namespace palmette {

namespace {

struct Production {
    std::string label;
    std::vector<std::string> children;  // a word as it is written, or a label
    std::vector<bool> word;
};

// Whether one of the codes of `written` begins at a place, perhaps with `amp;` before its number.
bool is_code(std::string_view text) {
    text.remove_prefix(1);
    while (text.starts_with("amp;")) text.remove_prefix(4);
    for (const std::string_view code : {"#124;", "#91;", "#93;", "#40;", "#41;"})
        if (text.starts_with(code)) return true;
    return false;
}

// A word as it is written in a fragment: characters that mean something there are codes, as Moses writes them, and what is a code
// already gets another `amp;`. As `escaped` in symbols.py.
std::string written(std::string_view word) {
    std::string text;
    for (std::size_t k = 0; k < word.size(); ++k) {
        const char c = word[k];
        if (c == '|' || c == '[' || c == ']' || c == '(' || c == ')')
            text += "&#" + std::to_string(int{c}) + ';';
        else if (c == '&' && is_code(word.substr(k)))
            text += "&amp;";
        else
            text += c;
    }
    return text;
}

Production parsed(std::string_view text) {
    const std::size_t arrow = text.find(" -> ");
    if (arrow == std::string_view::npos) throw std::invalid_argument("a production has no arrow");
    Production found{std::string(text.substr(0, arrow)), {}, {}};
    for (std::size_t at = arrow + 4; at <= text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string_view child = text.substr(at, end - at);
        found.word.push_back(child.size() > 2 && child.front() == '"' && child.back() == '"');
        found.children.push_back(found.word.back() ? written(child.substr(1, child.size() - 2)) : std::string(child));
        at = end + 1;
    }
    return found;
}

class FragmentWriter {
public:
    FragmentWriter(const std::vector<Production>& productions) : productions_(productions) {}

    // numbers: of the variables, from left to right.
    const std::string& write(std::span<const std::uint32_t> decisions, std::span<const std::uint32_t> numbers) {
        text_.clear();
        decisions_ = decisions;
        numbers_ = numbers;
        node(nullptr);
        if (!decisions_.empty()) throw std::invalid_argument("a fragment has too many decisions");
        return text_;
    }

private:
    void node(const std::string* label) {
        if (decisions_.empty()) throw std::invalid_argument("a fragment lacks a decision");
        const std::uint32_t decision = decisions_.front();
        decisions_ = decisions_.subspan(1);
        if (decision == 0) {
            if (!label || numbers_.empty()) throw std::invalid_argument("a fragment has too many variables");
            text_ += '[' + *label + ',' + std::to_string(numbers_.front() + 1) + ']';
            numbers_ = numbers_.subspan(1);
            return;
        }
        if (decision > productions_.size()) throw std::invalid_argument("there is no such production");
        const Production& production = productions_[decision - 1];
        text_ += '(' + production.label;
        for (std::size_t k = 0; k < production.children.size(); ++k) {
            text_ += ' ';
            if (production.word[k])
                text_ += production.children[k];
            else
                node(&production.children[k]);
        }
        text_ += ')';
    }

    const std::vector<Production>& productions_;
    std::string text_;
    std::span<const std::uint32_t> decisions_, numbers_;
};

}  // namespace

FragmentTexts fragment_texts(const RuleCounts& counts, const std::vector<std::string>& productions, std::uint32_t n_target_words, bool target_trees) {
    std::vector<Production> parts;
    parts.reserve(productions.size());
    for (const std::string& text : productions) parts.push_back(parsed(text));
    FragmentWriter writer(parts);
    WordTable texts(false);
    FragmentTexts found;
    found.of_rule.reserve(counts.variant.size());
    std::vector<std::uint32_t> path, decisions, numbers;
    for (std::size_t k = 0; k < counts.variant.size(); ++k) {
        decisions.clear();
        numbers.clear();
        counts.variants.spell(counts.variant[k], path);
        for (const std::uint32_t symbol : path)
            if (symbol >= kFirstDecision) decisions.push_back(symbol - kFirstDecision);
        if (target_trees) {
            counts.nodes.target.spell(counts.nodes.target_node[k], path);
            for (const std::uint32_t item : path)
                if (item >= n_target_words) numbers.push_back(item - n_target_words);
        } else {
            for (const std::uint32_t decision : decisions)
                if (decision == 0) numbers.push_back(static_cast<std::uint32_t>(numbers.size()));
        }
        found.of_rule.push_back(texts.intern(writer.write(decisions, numbers)));
    }
    found.utf8.assign(texts.text().begin(), texts.text().end());
    found.offsets.assign(texts.offsets().begin(), texts.offsets().end());
    return found;
}

}  // namespace palmette
