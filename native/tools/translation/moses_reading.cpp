#include <cmath>
#include <optional>

#include "base/interrupt.hpp"
#include "base/key_map.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"
#include "tools/translation/moses_tables.hpp"

namespace palmette {

namespace {

// The fields of a line between |||, and the words of a field.
class Fields {
public:
    explicit Fields(std::string_view line) : rest_(line) {}

    std::optional<std::string_view> next() {
        if (done_) return std::nullopt;
        // A bar is a word of its own: in "a|||b" there is none.
        for (std::size_t at = rest_.find("|||"); at != std::string_view::npos; at = rest_.find("|||", at + 1)) {
            const bool begins = at == 0 || is_white(rest_[at - 1]), ends = at + 3 == rest_.size() || is_white(rest_[at + 3]);
            if (!begins || !ends) continue;
            const std::string_view field = rest_.substr(0, at);
            rest_.remove_prefix(at + 3);
            return field;
        }
        done_ = true;
        return rest_;
    }

    static bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

private:
    std::string_view rest_;
    bool done_ = false;
};

template <class Use>
void each_word(std::string_view field, Use&& use) {
    for (std::size_t at = 0; at < field.size();) {
        while (at < field.size() && Fields::is_white(field[at])) ++at;
        const std::size_t begin = at;
        while (at < field.size() && !Fields::is_white(field[at])) ++at;
        if (at > begin) use(field.substr(begin, at - begin));
    }
}

struct LineError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <class Number>
Number number_of(std::string_view word, const char* what) {
    Number value{};
    const auto [end, error] = read_number(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) throw LineError(quoted(word) + " is not " + what);
    return value;
}

class Reader {
public:
    explicit Reader(MosesTable& table) : table_(table) {}

    void phrase_line(std::string_view line) {
        Fields fields(line);
        const auto source = fields.next(), target = fields.next(), scores = fields.next(), links = fields.next(), counts = fields.next();
        if (!scores) throw LineError("a line needs three fields between |||, the source phrase, the target phrase and the scores");
        const std::size_t n_source = words(*source, table_.source_words, source_ids_, "source"),
                          n_target = words(*target, table_.target_words, target_ids_, "target");
        table_.nodes.source_node.push_back(table_.nodes.source.insert(std::span<const std::uint32_t>(source_ids_)));
        table_.nodes.target_node.push_back(table_.nodes.target.insert(std::span<const std::uint32_t>(target_ids_)));
        probabilities(*scores, table_.scores, table_.n_columns);
        if (table_.n_columns == 0 || table_.n_columns > 1000) throw LineError("a line needs 1 to 1000 scores");
        if (links) each_word(*links, [&](std::string_view link) { add_link(link, n_source, n_target); });
        table_.link_begin.push_back(static_cast<std::uint32_t>(table_.links.size()));
        if (counted_) add_counts(counts.value_or(""));
    }

    void reordering_line(std::string_view line, const KeyMap& rows) {
        Fields fields(line);
        const auto source = fields.next(), target = fields.next(), scores = fields.next();
        if (!scores) throw LineError("a line needs three fields between |||, the source phrase, the target phrase and the orientations");
        values_.clear();
        probabilities(*scores, values_, table_.n_reordering);
        if (table_.n_reordering != 3 && table_.n_reordering != 6) throw LineError("a reordering table has 3 or 6 orientations, not " + std::to_string(table_.n_reordering));
        if (table_.reordering.empty()) table_.reordering.assign(table_.nodes.source_node.size() * table_.n_reordering, std::log(1.0f / 3.0f));
        const std::uint32_t from = node(*source, table_.source_words, table_.nodes.source), to = node(*target, table_.target_words, table_.nodes.target);
        if (from == PhraseTrie::none || to == PhraseTrie::none) return;
        const std::uint32_t row = rows.find(std::uint64_t{from} << 32 | to);
        if (row != KeyMap::kNone) std::copy(values_.begin(), values_.end(), table_.reordering.begin() + static_cast<std::ptrdiff_t>(row * table_.n_reordering));
    }

private:
    // A bar that Moses writes as &#124;.
    std::string_view plain(std::string_view word) {
        if (word.find("&#124;") == std::string_view::npos) return word;
        plain_.clear();
        for (std::size_t at = 0; at < word.size();) {
            const bool bar = word.substr(at, 6) == "&#124;";
            plain_.push_back(bar ? '|' : word[at]);
            at += bar ? 6 : 1;
        }
        return plain_;
    }

    std::size_t words(std::string_view field, WordTable& table, std::vector<std::uint32_t>& ids, const char* side) {
        ids.clear();
        each_word(field, [&](std::string_view word) { ids.push_back(table.intern(plain(word))); });
        if (ids.empty()) throw LineError(std::string("the ") + side + " phrase has no words");
        if (ids.size() > PhraseTableView::longest) throw LineError(std::string("the ") + side + " phrase has more than 255 words");
        return ids.size();
    }

    std::uint32_t node(std::string_view field, const WordTable& table, const PhraseTrie& trie) {
        std::uint32_t node = 0;
        each_word(field, [&](std::string_view word) {
            const std::string_view spelt = plain(word);
            if (node == PhraseTrie::none) return;
            node = table.contains(spelt) ? trie.find(node, table.find(spelt)) : PhraseTrie::none;
        });
        return node;
    }

    void probabilities(std::string_view field, std::vector<float>& to, std::size_t& width) {
        const std::size_t before = to.size();
        each_word(field, [&](std::string_view word) {
            const double p = number_of<double>(word, "a number");
            if (!(p >= 0) || !std::isfinite(p)) throw LineError("the score " + quoted(word) + " is not a finite number of at least 0");
            to.push_back(p > 0 ? static_cast<float>(std::log(p)) : -100.0f);
        });
        const std::size_t found = to.size() - before;
        if (width && found != width) throw LineError(std::to_string(found) + " scores, but the lines before have " + std::to_string(width));
        width = found;
    }

    void add_link(std::string_view word, std::size_t n_source, std::size_t n_target) {
        const std::size_t dash = word.find('-');
        if (dash == std::string_view::npos) throw LineError(quoted(word) + " is not a link such as 0-1");
        const auto i = number_of<std::uint32_t>(word.substr(0, dash), "the source word of a link"), j = number_of<std::uint32_t>(word.substr(dash + 1), "the target word of a link");
        if (i >= n_source || j >= n_target)
            throw LineError("the link " + quoted(word) + " is outside phrases of " + std::to_string(n_source) + " and " + std::to_string(n_target) + " words");
        table_.links.push_back(static_cast<std::uint16_t>(i << 8 | j));
    }

    void add_counts(std::string_view field) {
        int n = 0;
        each_word(field, [&](std::string_view word) {
            const double count = std::round(number_of<double>(word, "a count"));
            if (!(count >= 0 && count < 4294967296.0)) throw LineError("the count " + quoted(word) + " is not between 0 and 4294967295");
            if (++n <= 3) table_.counts.push_back(static_cast<std::uint32_t>(count));
        });
        if (n == 3) return;
        counted_ = false;
        table_.counts = {};
    }

    MosesTable& table_;
    std::vector<std::uint32_t> source_ids_, target_ids_;
    std::vector<float> values_;
    std::string plain_;
    bool counted_ = true;
};

template <class Read>
LineFault each_line(std::string_view text, Read&& read) {
    Lines lines(text);
    for (std::string_view line; lines.next(line);) {
        if (lines.number() % 4096 == 0) check_interrupt();
        if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
        const std::size_t bad = first_bad_byte(line);
        if (bad != std::string_view::npos) return {lines.number(), explain_bad_byte(line, bad)};
        try {
            read(line);
        } catch (const LineError& fault) {
            return {lines.number(), fault.what()};
        }
    }
    return {};
}

}  // namespace

LineFault read_phrase_table(std::string_view text, MosesTable& table) {
    Reader reader(table);
    KeyMap seen;
    return each_line(text, [&](std::string_view line) {
        reader.phrase_line(line);
        const auto row = static_cast<std::uint32_t>(table.nodes.source_node.size() - 1);
        if (row == KeyMap::kNone - 1) throw LineError("more than four thousand million phrase pairs");
        const std::uint32_t before = seen.insert(std::uint64_t{table.nodes.source_node[row]} << 32 | table.nodes.target_node[row], row);
        if (before != row) throw LineError("the phrase pair is the same as pair " + std::to_string(before + 1) + " of the table");
    });
}

LineFault read_reordering_table(std::string_view text, MosesTable& table) {
    Reader reader(table);
    KeyMap rows(table.nodes.source_node.size());
    for (std::uint32_t row = 0; row < table.nodes.source_node.size(); ++row)
        rows.insert(std::uint64_t{table.nodes.source_node[row]} << 32 | table.nodes.target_node[row], row);
    return each_line(text, [&](std::string_view line) { reader.reordering_line(line, rows); });
}

}  // namespace palmette
