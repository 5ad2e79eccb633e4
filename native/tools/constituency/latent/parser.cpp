#include "tools/constituency/latent/parser.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_set>

#include "tools/constituency/latent/blocks.hpp"
#include "tools/constituency/latent/kbest.hpp"

namespace palmette {
namespace {

constexpr float kFaintest = 1e-30f;  // a posterior that one grammar of several has rounded to nothing

constexpr std::size_t kTries = 20;   // trees that are looked at for each that is wanted

std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

float log_of_faint(float p) { return std::log(std::max(p, kFaintest)); }

// Leaves out the nodes that no tree of the roots has, and renumbers the others.
void keep_needed(LatentTree& nodes, std::vector<std::int32_t>& roots) {
    std::vector<std::int32_t> number(nodes.size(), -1);
    for (std::int32_t root : roots) number[root] = 0;
    for (std::size_t v = nodes.size(); v-- > 0;)
        if (number[v] == 0)
            for (std::int32_t child : {nodes[v].left, nodes[v].right})
                if (child >= 0) number[child] = 0;
    std::size_t kept = 0;
    for (std::size_t v = 0; v < nodes.size(); ++v) {
        if (number[v] < 0) continue;
        number[v] = static_cast<std::int32_t>(kept);
        LatentTreeNode node = nodes[v];
        if (node.left >= 0) node.left = number[node.left];
        if (node.right >= 0) node.right = number[node.right];
        nodes[kept++] = node;
    }
    nodes.resize(kept);
    for (std::int32_t& root : roots) root = number[root];
}

std::vector<float> projected_words(const LatentMember& member, const LatentLevel& level, int n, std::span<const float> words) {
    const LatentLayout &from = member.grammar.layout, &to = level.grammar.layout;
    std::vector<float> coarse(n * to.width());
    for (std::int32_t tag : member.lexicon.tags)
        for (int x = 0; x < from.substates[tag]; ++x) {
            const std::size_t at = from.row[tag] + x, place = to.row[tag] + level.group[at];
            for (int i = 0; i < n; ++i) coarse[i * to.width() + place] += level.share[at] * words[i * from.width() + at];
        }
    return coarse;
}

}  // namespace

LatentMember latent_member(const LatentRules& rules, LatentGrammar grammar, LatentLexicon lexicon,
                           const std::vector<float>& mass,
                           const std::vector<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>>& groups) {
    LatentMember member{std::move(grammar), std::move(lexicon), {}};
    const LatentLayout& layout = member.grammar.layout;
    for (const auto& [group, number] : groups) {
        LatentLevel level{projected(rules, member.grammar, group, number, mass), group, {}};
        const LatentLayout& to = level.grammar.layout;
        level.share.assign(layout.width(), 0);
        std::vector<float> sum(to.width());
        const auto each = [&](auto act) {
            for (int a = 0; a < rules.n_symbols; ++a)
                for (int x = 0; x < layout.substates[a]; ++x) act(layout.row[a] + x, to.row[a] + group[layout.row[a] + x]);
        };
        each([&](std::size_t at, std::size_t place) { sum[place] += member.lexicon.prior[at]; });
        each([&](std::size_t at, std::size_t place) {
            level.share[at] = sum[place] > 0 ? member.lexicon.prior[at] / sum[place] : 0;
        });
        member.levels.push_back(std::move(level));
    }
    return member;
}

LatentParser::LatentParser(LatentRules rules, std::vector<std::uint8_t> made, std::vector<LatentMember> members)
    : rules_(std::move(rules)), made_(std::move(made)), tag_(rules_.n_symbols), members_(std::move(members)) {
    if (members_.empty() || made_.size() != static_cast<std::size_t>(rules_.n_symbols))
        throw std::invalid_argument("a parser needs a grammar, and of every symbol whether it was made");
    for (const LatentMember& member : members_) {
        if (member.levels.empty()) throw std::invalid_argument("a grammar needs its coarsest projection");
        for (std::int32_t n : member.levels.front().grammar.layout.substates)
            if (n != 1) throw std::invalid_argument("the coarsest projection has one substate of every symbol");
    }
    for (std::int32_t tag : members_.front().lexicon.tags) tag_[tag] = 1;
    coarse_ = CoarseGrammar(rules_, members_.front().levels.front().grammar);
}

std::vector<float> LatentParser::weigh_words(const LatentMember& member, const LatentSentence& sentence) const {
    const LatentLayout& layout = member.grammar.layout;
    const std::size_t width = layout.width(), contexts = depth();
    std::vector<float> words(sentence.n * width);
    for (int i = 0; i < sentence.n; ++i) {
        float* row = words.data() + i * width;
        member.lexicon.weigh(layout, sentence.chains.subspan(i * contexts, contexts), row);
        const std::int32_t given = sentence.tags.empty() ? -1 : sentence.tags[i];
        for (std::int32_t tag : member.lexicon.tags)
            if (given >= 0 && tag != given) std::fill(row + layout.row[tag], row + layout.row[tag + 1], 0.0f);
        float most = 0;
        for (std::size_t s = 0; s < width; ++s) most = std::max(most, row[s]);
        if (!(most > 0)) {  // nothing is known of such a word: every tag is as likely as it is elsewhere
            for (std::int32_t tag : member.lexicon.tags)
                if (given < 0 || tag == given) std::fill_n(row + layout.row[tag], layout.substates[tag], 1.0f);
            most = 1;
        }
        for (std::size_t s = 0; s < width; ++s) row[s] /= most;
    }
    return words;
}

std::vector<float> LatentParser::coarse_words(std::span<const float> words, int n) const {
    const LatentMember& member = members_.front();
    const LatentLayout& layout = member.levels.front().grammar.layout;
    const std::vector<float> rows = projected_words(member, member.levels.front(), n, words);
    std::vector<float> scalars(static_cast<std::size_t>(n) * rules_.n_symbols);
    for (int i = 0; i < n; ++i)
        for (std::int32_t s : member.lexicon.tags) scalars[i * rules_.n_symbols + s] = rows[i * layout.width() + layout.row[s]];
    return scalars;
}

std::vector<std::vector<float>> LatentParser::weighed(const LatentSentence& sentence) const {
    std::vector<std::vector<float>> words;
    for (const LatentMember& member : members_) words.push_back(weigh_words(member, sentence));
    return words;
}

LatentChart LatentParser::analyse(const LatentSentence& sentence, const LatentSearch& search) const {
    LatentChart chart;
    chart.words = weighed(sentence);
    const LatentMember& first = members_.front();
    chart.forest = coarse_.forest(rules_, coarse_words(chart.words[0], sentence.n), sentence.n, search.thresholds[0],
                                  sentence.bars);
    LatentSums sums;
    for (std::size_t l = 1; l < first.levels.size() && !chart.forest.roots.empty(); ++l) {
        if (l >= search.thresholds.size() || search.thresholds[l] <= 0) continue;
        sums.run(rules_, first.levels[l].grammar, chart.forest,
                 projected_words(first, first.levels[l], sentence.n, chart.words[0]));
        chart.forest = chart.forest.pruned(sums.item, search.thresholds[l]);
    }
    if (chart.forest.roots.empty()) return chart;
    chart.edges.assign(chart.forest.edges.size(), 0);
    chart.rises.assign(chart.forest.rises.size(), 0);
    chart.items.assign(chart.forest.items.size(), 0);
    chart.posteriors.assign(chart.forest.rises.size(), 0);
    for (std::size_t m = 0; m < members_.size(); ++m) {
        sums.run(rules_, members_[m].grammar, chart.forest, chart.words[m]);
        if (!std::isfinite(sums.log_z)) return chart;
        chart.log_z += sums.log_z / static_cast<double>(members_.size());
        add_products_of(sums, chart);
    }
    chart.found = true;
    return chart;
}

void LatentParser::add_products_of(const LatentSums& sums, LatentChart& chart) const {
    const LatentForest& forest = chart.forest;
    for (std::size_t e = 0; e < chart.edges.size(); ++e) chart.edges[e] += log_of_faint(sums.edge[e]);
    for (std::size_t r = 0; r < chart.rises.size(); ++r) {
        chart.posteriors[r] += sums.rise[r] / static_cast<float>(members_.size());
        if (forest.rises[r].rule >= 0) chart.rises[r] += log_of_faint(sums.rise[r]);
    }
    for (std::size_t v = 0; v < chart.items.size(); ++v)
        if (!forest.items[v].above && forest.items[v].end == forest.items[v].start + 1)
            chart.items[v] += log_of_faint(sums.item[v]);
}

LatentRanked LatentParser::best(const LatentChart& chart, const LatentSearch& search, std::size_t k) const {
    LatentRanked ranked;
    if (!chart.found) return ranked;
    const LatentForest& forest = chart.forest;
    std::vector<float> edges, rises, items;
    if (search.recall) {
        // For a bracket, the sum over the chains that it is in; what is between the ends of a chain is left out.
        edges.assign(forest.edges.size(), 0);
        rises.assign(forest.rises.size(), 0);
        items.assign(forest.items.size(), 0);
        std::map<std::tuple<int, int, int>, float> brackets;
        const auto each = [&](auto act) {
            for (std::size_t v = 0; v < forest.items.size(); ++v) {
                const LatentForest::Item& at = forest.items[v];
                for (std::int32_t r = at.first; at.above && r < at.last; ++r) {
                    if (!made_[at.symbol] && !tag_[at.symbol]) act(r, at, at.symbol);
                    const std::int32_t lower = forest.items[forest.rises[r].item].symbol;
                    if (forest.rises[r].rule >= 0 && !made_[lower] && !tag_[lower]) act(r, at, lower);
                }
            }
        };
        each([&](std::int32_t r, const LatentForest::Item& at, int symbol) {
            brackets[{at.start, at.end, symbol}] += chart.posteriors[r];
        });
        each([&](std::int32_t r, const LatentForest::Item& at, int symbol) {
            rises[r] += brackets[{at.start, at.end, symbol}] - search.bracket_cost;
        });
        for (std::size_t v = 0; v < items.size(); ++v)  // of tags that make no difference the likelier
            if (!forest.items[v].above && forest.items[v].end == forest.items[v].start + 1)
                items[v] = 1e-3f * chart.items[v];
    }
    LatentKBest trees(forest, search.recall ? edges : chart.edges, search.recall ? rises : chart.rises,
                      search.recall ? items : chart.items);
    std::unordered_set<std::uint64_t> seen;
    std::vector<std::uint64_t> keys;  // of the nodes, sums over what is below them
    std::vector<std::int32_t> roots;
    std::vector<float> values;
    for (std::size_t rank = 0; roots.size() < k && rank < kTries * k; ++rank) {
        float value;
        const std::int32_t root = trees.tree(rank, ranked.nodes, value);
        if (root < 0) break;
        for (std::size_t v = keys.size(); v < ranked.nodes.size(); ++v) {
            const LatentTreeNode& node = ranked.nodes[v];
            keys.push_back(brackets_key(node) + (node.left < 0 ? 0 : keys[node.left]) + (node.right < 0 ? 0 : keys[node.right]));
        }
        if (search.by_brackets && !seen.insert(keys[root]).second) continue;
        roots.push_back(root);
        values.push_back(value);
    }
    keep_needed(ranked.nodes, roots);
    const std::vector<double> parts = amounts(chart.words, ranked.nodes, roots);
    std::vector<double> sums(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(ranked.nodes.size()));
    for (std::size_t v = 0; v < ranked.nodes.size(); ++v)
        for (std::int32_t child : {ranked.nodes[v].left, ranked.nodes[v].right})
            if (child >= 0) sums[v] += sums[child];
    for (std::size_t i = 0; i < roots.size(); ++i) {
        const double score = sums[roots[i]] + parts[ranked.nodes.size() + i];
        if (!std::isfinite(score)) continue;  // rules that all have posteriors, but no substates in common
        ranked.roots.push_back(roots[i]);
        ranked.values.push_back(values[i]);
        ranked.scores.push_back(score);
    }
    return ranked;
}

// What a node adds to the key of its tree's brackets; chains above a tag count by their highest label.
std::uint64_t LatentParser::brackets_key(const LatentTreeNode& node) const {
    if (node.kind == LatentNode::word || node.kind == LatentNode::same || made_[node.symbol]) return 0;
    std::uint64_t part = static_cast<std::uint64_t>(node.symbol) << 32 | static_cast<std::uint64_t>(node.start) << 16 |
                         static_cast<std::uint64_t>(node.end);
    if (node.kind == LatentNode::unary && !tag_[rules_.lower[node.id]])
        part |= (static_cast<std::uint64_t>(node.id) + 1) << 48;
    return mixed(part);
}

std::vector<std::size_t> LatentParser::fragments(const LatentSentence& sentence, LatentTree& nodes, double& score) const {
    std::vector<std::uint8_t> whole(made_.size());
    for (std::size_t s = 0; s < whole.size(); ++s) whole[s] = !made_[s];
    return coarse_.fragments(rules_, coarse_words(weigh_words(members_.front(), sentence), sentence.n), sentence.n, whole,
                             nodes, score);
}

void LatentParser::check_tree(const LatentTree& nodes, int n) const {
    for (std::size_t v = 0; v < nodes.size(); ++v) {
        const LatentTreeNode& node = nodes[v];
        const auto below = [&](std::int32_t child) { return child >= 0 && child < static_cast<std::int64_t>(v); };
        const auto symbol = [&](std::int32_t child) { return nodes[child].symbol; };
        bool good = node.symbol >= 0 && node.symbol < rules_.n_symbols && (node.kind == LatentNode::word || below(node.left));
        const auto rule = static_cast<std::size_t>(node.id);
        switch (node.kind) {
            case LatentNode::word: good = good && node.id >= 0 && node.id < n && tag_[node.symbol]; break;
            case LatentNode::binary:
                good = good && below(node.right) && rule < rules_.n_binary() && rules_.parent[rule] == node.symbol &&
                       rules_.left[rule] == symbol(node.left) && rules_.right[rule] == symbol(node.right);
                break;
            case LatentNode::unary:
                good = good && rule < rules_.n_unary() && rules_.upper[rule] == node.symbol &&
                       rules_.lower[rule] == symbol(node.left);
                break;
            case LatentNode::same: good = good && symbol(node.left) == node.symbol; break;
            default: good = false;
        }
        if (!good) throw std::invalid_argument("node " + std::to_string(v) + " does not fit the rules or its children");
    }
}

// Inside along the tree; every node's values are divided by their sum, whose logarithm is the node's part.
std::vector<double> LatentParser::amounts(const std::vector<std::vector<float>>& words, const LatentTree& nodes,
                                          std::span<const std::int32_t> roots) const {
    std::vector<double> parts(nodes.size() + roots.size());
    std::vector<float> in, outer;
    std::vector<std::size_t> place(nodes.size() + 1);
    const double share = 1.0 / static_cast<double>(members_.size());
    for (std::size_t m = 0; m < members_.size(); ++m) {
        const LatentGrammar& grammar = members_[m].grammar;
        const LatentLayout& layout = grammar.layout;
        for (std::size_t v = 0; v < nodes.size(); ++v) place[v + 1] = place[v] + padded(layout.substates[nodes[v].symbol]);
        in.assign(place.back(), 0);
        for (std::size_t v = 0; v < nodes.size(); ++v) {
            const LatentTreeNode& node = nodes[v];
            const int n = layout.substates[node.symbol];
            float* to = in.data() + place[v];
            const float* left = node.left < 0 ? nullptr : in.data() + place[node.left];
            switch (node.kind) {
                case LatentNode::word:
                    std::copy_n(words[m].data() + node.id * layout.width() + layout.row[node.symbol], n, to);
                    break;
                case LatentNode::binary: {
                    const int n_l = layout.substates[rules_.left[node.id]];
                    const int n_r = padded(layout.substates[rules_.right[node.id]]);
                    outer.assign(static_cast<std::size_t>(n_l) * n_r, 0);
                    add_outer(left, n_l, in.data() + place[node.right], n_r, 1, outer.data());
                    add_products(grammar.binary.data() + layout.binary[node.id], n, outer.size(), outer.data(), to);
                    break;
                }
                case LatentNode::unary:
                    add_products(grammar.unary.data() + layout.unary[node.id], n,
                                 padded(layout.substates[rules_.lower[node.id]]), left, to);
                    break;
                case LatentNode::same:
                    for (int x = 0; x < n; ++x) to[x] = grammar.same[layout.row[node.symbol] + x] * left[x];
            }
            float sum = 0;
            for (int x = 0; x < n; ++x) sum += to[x];
            for (int x = 0; x < n; ++x) to[x] = sum > 0 ? to[x] / sum : 0;
            parts[v] += share * std::log(static_cast<double>(sum));
        }
        for (std::size_t i = 0; i < roots.size(); ++i) {
            const int symbol = nodes[roots[i]].symbol;
            float sum = 0;
            for (int x = 0; x < layout.substates[symbol]; ++x)
                sum += in[place[roots[i]] + x] * grammar.root[layout.row[symbol] + x];
            parts[nodes.size() + i] += share * std::log(static_cast<double>(sum));
        }
    }
    return parts;
}

}  // namespace palmette
