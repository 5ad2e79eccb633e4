#include "tools/translation/rules/hiero.hpp"

#include <algorithm>
#include <vector>

#include "tools/alignment/phrase_blocks.hpp"

namespace palmette {

namespace {

class HieroSentence {
public:
    HieroSentence(const AlignedText& text, const HieroLimits& limits, RulePiece& piece) : text_(text), limits_(limits), piece_(piece) {}

    void extract(std::size_t s) {
        piece_.begin_sentence();
        l_ = static_cast<std::int32_t>(text_.source.length(s));
        const auto m = static_cast<std::int32_t>(text_.target.length(s));
        const auto first = static_cast<std::size_t>(text_.links.at[s]), n = static_cast<std::size_t>(text_.links.at[s + 1]) - first;
        source_at_ = static_cast<std::size_t>(text_.source.offsets[s]);
        target_at_ = static_cast<std::size_t>(text_.target.offsets[s]);
        blocks_.reset(l_, m, std::span(text_.links.source).subspan(first, n), std::span(text_.links.target).subspan(first, n));
        width_ = std::min(l_, limits_.max_span);
        phrases_.assign(static_cast<std::size_t>(l_) * static_cast<std::size_t>(width_ + 1), {});
        last_.assign(static_cast<std::size_t>(l_), 0);
        blocks_.each_source_phrase(limits_.max_span, [&](std::int32_t i0, std::int32_t i1, std::int32_t, std::int32_t low, std::int32_t high, std::int32_t) {
            if (!limits_.loose && (!linked(i0) || !linked(i1 - 1))) return;
            phrases_[place(i0, i1)] = {low, high};
            last_[static_cast<std::size_t>(i0)] = i1;
        });
        for (std::int32_t i0 = 0; i0 < l_; ++i0) {
            if (!last_[static_cast<std::size_t>(i0)]) continue;
            begin_ = i0;
            rules_.clear();
            path_.clear();
            walk(i0, 0, false);
            share();
        }
    }

private:
    struct Extent {
        std::int32_t low = 0, high = 0;  // target words low … high − 1; none: low == high
        bool empty() const { return low == high; }
    };
    // A symbol of the source side at hand: a word (one source position) or a hole.
    struct Symbol {
        std::int32_t begin, end;
        bool hole;
        std::uint32_t node = PhraseTrie::none;  // of the side up to here; found when a rule needs it
    };
    struct Found {
        std::array<std::uint32_t, kRuleParts> node;
        float lex_source, lex_target;
        std::int32_t end;
    };

    std::size_t place(std::int32_t i0, std::int32_t i1) const {
        return static_cast<std::size_t>(i0) * static_cast<std::size_t>(width_ + 1) + static_cast<std::size_t>(i1 - i0);
    }
    bool linked(std::int32_t i) const { return text_.linked(source_at_ + static_cast<std::size_t>(i)); }

    // Extends the source side that ends before word i.
    void walk(std::int32_t i, std::int32_t holes, bool anchored) {
        if (anchored && !phrases_[place(begin_, i)].empty()) emit(i, holes);
        const std::int32_t last = last_[static_cast<std::size_t>(begin_)];
        if (static_cast<std::int32_t>(path_.size()) == limits_.max_symbols || i >= last) return;
        path_.push_back({i, i + 1, false});
        walk(i + 1, holes, anchored || linked(i));
        path_.pop_back();
        if (holes == limits_.max_nonterminals || (!limits_.adjacent && !path_.empty() && path_.back().hole)) return;
        for (std::int32_t k = i + limits_.min_hole; k <= std::min(last, last_[static_cast<std::size_t>(i)]); ++k) {
            if (phrases_[place(i, k)].empty() || !linked(i) || !linked(k - 1)) continue;
            path_.push_back({i, k, true});
            walk(k, holes + 1, anchored);
            path_.pop_back();
        }
    }

    std::uint32_t source_node() {
        std::uint32_t node = 0;
        for (Symbol& symbol : path_) {
            if (symbol.node == PhraseTrie::none) {
                const std::uint32_t word = symbol.hole ? text_.n_source_words : static_cast<std::uint32_t>(text_.source.words[source_at_ + static_cast<std::size_t>(symbol.begin)]);
                symbol.node = piece_.tries[kRuleSource].child(node, word);
            }
            node = symbol.node;
        }
        return node;
    }

    // The rule whose source side is the path, over source words begin_ … end − 1.
    void emit(std::int32_t end, std::int32_t holes) {
        const Extent phrase = phrases_[place(begin_, end)];
        Found found{{source_node(), 0, shape(holes), 0}, 0, 0, end};
        // Holes by target position; there are few.
        hole_at_.clear();
        std::uint32_t number = 0;
        for (const Symbol& symbol : path_)
            if (symbol.hole) hole_at_.push_back({phrases_[place(symbol.begin, symbol.end)], number++});
        std::sort(hole_at_.begin(), hole_at_.end(), [](const auto& a, const auto& b) { return a.first.low < b.first.low; });
        position_.resize(static_cast<std::size_t>(phrase.high - phrase.low));
        PhraseTrie& targets = piece_.tries[kRuleTarget];
        std::uint32_t target = 0;
        std::uint8_t at = 0;
        auto hole = hole_at_.begin();
        double lex_target = 0, lex_source = 0;
        for (std::int32_t j = phrase.low; j < phrase.high; ++at) {
            if (hole != hole_at_.end() && hole->first.low == j) {
                target = targets.child(target, text_.n_target_words + hole->second);
                j = hole++->first.high;
                continue;
            }
            const std::size_t word = target_at_ + static_cast<std::size_t>(j);
            target = targets.child(target, static_cast<std::uint32_t>(text_.target.words[word]));
            lex_target += text_.target_logs[word];
            position_[static_cast<std::size_t>(j++ - phrase.low)] = at;
        }
        found.node[kRuleTarget] = target;
        PhraseTrie& variants = piece_.tries[kRuleVariant];
        std::uint32_t variant = 0;
        for (std::size_t k = 0; k < path_.size(); ++k) {
            if (path_[k].hole) continue;
            const std::size_t word = source_at_ + static_cast<std::size_t>(path_[k].begin);
            lex_source += text_.source_logs[word];
            for (std::int64_t link = text_.links.of_word[word]; link < text_.links.of_word[word + 1]; ++link) {
                const std::int32_t j = text_.links.target[static_cast<std::size_t>(link)] - phrase.low;
                variant = variants.child(variant, static_cast<std::uint32_t>(k << 8 | position_[static_cast<std::size_t>(j)]));
            }
        }
        found.node[kRuleVariant] = variant;
        found.lex_source = static_cast<float>(lex_source);
        found.lex_target = static_cast<float>(lex_target);
        rules_.push_back(found);
    }

    // X over some X.
    std::uint32_t shape(std::int32_t holes) {
        std::uint32_t node = 0;
        for (std::int32_t k = 0; k <= holes; ++k) node = piece_.tries[kRuleShape].child(node, 0);
        return node;
    }

    // Adds the rules that begin at one word; those of an initial phrase share its count.
    void share() {
        sizes_.assign(static_cast<std::size_t>(width_) + 1, 0);
        for (const Found& rule : rules_) ++sizes_[static_cast<std::size_t>(rule.end - begin_)];
        for (const Found& rule : rules_)
            piece_.add(rule.node, limits_.shares ? 1.0 / sizes_[static_cast<std::size_t>(rule.end - begin_)] : 1.0, rule.lex_source, rule.lex_target);
    }

    const AlignedText& text_;
    const HieroLimits& limits_;
    RulePiece& piece_;
    SentenceBlocks blocks_;
    std::int32_t l_ = 0, width_ = 0, begin_ = 0;
    std::size_t source_at_ = 0, target_at_ = 0;
    std::vector<Extent> phrases_;       // [first word][words]: the target words of an initial phrase
    std::vector<std::int32_t> last_;    // where the longest initial phrase from a word ends; 0: there is none
    std::vector<Symbol> path_;
    std::vector<std::pair<Extent, std::uint32_t>> hole_at_;
    std::vector<std::uint8_t> position_;  // of target words among the items of a target side
    std::vector<Found> rules_;
    std::vector<std::uint32_t> sizes_;
};

}  // namespace

RuleCounts hiero_rules(const AlignedText& text, const HieroLimits& limits, int n_jobs) {
    return count_rules(text.source.offsets.size() - 1, n_jobs, [&](std::size_t begin, std::size_t end, RulePiece& piece) {
        HieroSentence sentence(text, limits, piece);
        for (std::size_t s = begin; s < end; ++s) sentence.extract(s);
    });
}

}  // namespace palmette
