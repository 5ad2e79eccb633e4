#include "tools/constituency/latent/training.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/parallel.hpp"
#include "tools/constituency/latent/blocks.hpp"

namespace palmette {
namespace {

constexpr std::size_t kPiece = 32;         // trees
constexpr float kLeastWeight = 1e-14f;     // smaller ones become 0
constexpr double kLeastCount = 1e-10;      // a substate with fewer is dead
constexpr float kLeastInside = 1e-20f;     // against the largest of a node

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

// Nodes with the same key together: the nodes, and where each key's begin.
void gather(std::size_t keys, std::int64_t nodes, auto key, std::vector<std::int64_t>& found,
            std::vector<std::int64_t>& begin) {
    begin.assign(keys + 1, 0);
    for (std::int64_t v = 0; v < nodes; ++v)
        if (const std::int64_t k = key(v); k >= 0) ++begin[k + 1];
    for (std::size_t k = 0; k < keys; ++k) begin[k + 1] += begin[k];
    found.resize(begin.back());
    std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
    for (std::int64_t v = 0; v < nodes; ++v)
        if (const std::int64_t k = key(v); k >= 0) found[next[k]++] = v;
}

// Draws the rows of a block towards their mean; sums: of the counts behind each row, dead ones are left alone.
void smooth(float* rows, int n_p, std::size_t size, float amount, const double* sums) {
    int alive = 0;
    for (int p = 0; p < n_p; ++p) alive += sums[p] > kLeastCount;
    if (amount <= 0 || alive < 2) return;
    for (std::size_t i = 0; i < size; ++i) {
        float sum = 0;
        for (int p = 0; p < n_p; ++p) sum += rows[p * size + i];
        const float mean = amount * sum / static_cast<float>(alive);
        for (int p = 0; p < n_p; ++p)
            if (sums[p] > kLeastCount) rows[p * size + i] = (1 - amount) * rows[p * size + i] + mean;
    }
}

}  // namespace

LatentTrainer::LatentTrainer(LatentRules rules, LatentTrees trees, LatentForms forms, LatentLexicon lexicon)
    : rules_(std::move(rules)), trees_(std::move(trees)), forms_(std::move(forms)), lexicon_(std::move(lexicon)),
      depth_(static_cast<int>(lexicon_.strength.size())) {
    check();
    const std::int64_t nodes = static_cast<std::int64_t>(trees_.kind.size());
    const auto is = [&](std::int64_t v, LatentNode kind) { return trees_.kind[v] == static_cast<std::uint8_t>(kind); };
    const std::int64_t n_binary = static_cast<std::int64_t>(rules_.n_binary());
    gather(
        rules_.n_binary() + rules_.n_unary(), nodes,
        [&](std::int64_t v) -> std::int64_t {
            if (is(v, LatentNode::binary)) return trees_.id[v];
            return is(v, LatentNode::unary) ? n_binary + trees_.id[v] : -1;
        },
        occurrences_, binary_);
    gather(
        forms_.tag.size(), nodes,
        [&](std::int64_t v) -> std::int64_t { return is(v, LatentNode::word) ? trees_.id[v] : -1; }, form_nodes_,
        form_begin_);
    gather(
        rules_.n_symbols, nodes,
        [&](std::int64_t v) -> std::int64_t { return is(v, LatentNode::same) ? -1 : trees_.symbol[v]; }, symbol_nodes_,
        symbol_begin_);
    form_entries_.assign(forms_.chain.size(), -1);
    for (std::size_t f = 0; f < forms_.tag.size(); ++f)
        for (int d = 0; d < depth_; ++d) {
            const std::int32_t context = forms_.chain[f * depth_ + d];
            if (context < 0) continue;
            for (std::int32_t e = lexicon_.begin[context]; e < lexicon_.begin[context + 1]; ++e)
                if (lexicon_.tag[e] == forms_.tag[f]) form_entries_[f * depth_ + d] = e;
        }
    grammar_ = LatentGrammar(rules_, std::vector<std::int32_t>(rules_.n_symbols, 1));
    // One substate each and every weight one: the posteriors are one, so the counts are those of the trees.
    for (std::size_t place : grammar_.layout.binary)
        if (place < grammar_.binary.size()) grammar_.binary[place] = 1;
    for (std::size_t place : grammar_.layout.unary)
        if (place < grammar_.unary.size()) grammar_.unary[place] = 1;
    for (int a = 0; a < rules_.n_symbols; ++a)
        grammar_.same[grammar_.layout.row[a]] = grammar_.root[grammar_.layout.row[a]] = 1;
    lay_out();
    lexicon_.lay_out(grammar_.layout);
    for (std::size_t f = 0; f < forms_.tag.size(); ++f) form_weights_[form_place_[f]] = 1;
    for (std::size_t t = 0; t + 1 < trees_.begin.size(); ++t) {
        inside(static_cast<std::int64_t>(t));
        outside(static_cast<std::int64_t>(t));
    }
    count_rules(1);
    count_words();
    count_nodes(1);
    maximization(0, 0, 1);
}

void LatentTrainer::check() const {
    rules_.check();
    const std::int64_t nodes = static_cast<std::int64_t>(trees_.kind.size());
    if (trees_.begin.size() < 2 || trees_.begin.front() != 0 || trees_.begin.back() != nodes)
        refuse("the trees must begin at node 0 and end at the last");
    for (const auto* column : {&trees_.id, &trees_.symbol, &trees_.left, &trees_.right})
        if (column->size() != trees_.kind.size()) refuse("the nodes' arrays differ in length");
    if (forms_.chain.size() != forms_.tag.size() * depth_ || forms_.counted.size() != forms_.chain.size())
        refuse("forms need a chain of contexts each, as long as there are strengths");
    const std::size_t contexts = lexicon_.total.size();
    lexicon_.check(rules_.n_symbols);
    for (std::int32_t tag : forms_.tag)
        if (tag < 0 || tag >= rules_.n_symbols) refuse("a tag is not a symbol of the grammar");
    for (std::int32_t context : forms_.chain)
        if (context >= static_cast<std::int64_t>(contexts)) refuse("a form has a context that is not there");
    for (std::size_t t = 0; t + 1 < trees_.begin.size(); ++t) {
        if (trees_.begin[t] >= trees_.begin[t + 1]) refuse("tree " + std::to_string(t) + " has no nodes");
        for (std::int64_t v = trees_.begin[t]; v < trees_.begin[t + 1]; ++v) {
            const std::int32_t id = trees_.id[v], symbol = trees_.symbol[v], l = trees_.left[v], r = trees_.right[v];
            const auto below = [&](std::int64_t child) { return child >= trees_.begin[t] && child < v; };
            bool good = symbol >= 0 && symbol < rules_.n_symbols;
            switch (static_cast<LatentNode>(trees_.kind[v])) {
                case LatentNode::word:
                    good = good && id >= 0 && id < static_cast<std::int64_t>(forms_.tag.size()) && forms_.tag[id] == symbol;
                    break;
                case LatentNode::binary:
                    good = good && id >= 0 && id < static_cast<std::int64_t>(rules_.n_binary()) && below(l) && below(r) &&
                           rules_.parent[id] == symbol && trees_.symbol[l] == rules_.left[id] &&
                           trees_.symbol[r] == rules_.right[id];
                    break;
                case LatentNode::unary:
                    good = good && id >= 0 && id < static_cast<std::int64_t>(rules_.n_unary()) && below(l) &&
                           rules_.upper[id] == symbol && trees_.symbol[l] == rules_.lower[id];
                    break;
                case LatentNode::same: good = good && below(l) && trees_.symbol[l] == symbol; break;
                default: good = false;
            }
            if (!good) refuse("node " + std::to_string(v) + " does not fit its rule, its form or its children");
        }
    }
}

void LatentTrainer::lay_out() {
    const LatentLayout& layout = grammar_.layout;
    node_place_.assign(trees_.kind.size() + 1, 0);
    for (std::size_t v = 0; v < trees_.kind.size(); ++v)
        node_place_[v + 1] = node_place_[v] + padded(layout.substates[trees_.symbol[v]]);
    in_.assign(node_place_.back(), 0);
    out_.assign(node_place_.back(), 0);
    inverse_.assign(trees_.kind.size(), 1);
    form_place_.assign(forms_.tag.size() + 1, 0);
    for (std::size_t f = 0; f < forms_.tag.size(); ++f)
        form_place_[f + 1] = form_place_[f] + padded(layout.substates[forms_.tag[f]]);
    form_weights_.assign(form_place_.back(), 0);
    counts_ = LatentGrammar(rules_, layout.substates);
    mass_.assign(layout.width(), 0);
}

void LatentTrainer::weigh_forms(int n_jobs) {
    const std::size_t forms = forms_.tag.size(), piece = 256;
    parallel((forms + piece - 1) / piece, n_jobs, [&](std::size_t part, std::size_t) {
        for (std::size_t f = part * piece; f < std::min(forms, (part + 1) * piece); ++f)
            lexicon_.weigh_tag(grammar_.layout, forms_.tag[f], {forms_.chain.data() + f * depth_, std::size_t(depth_)},
                               {form_entries_.data() + f * depth_, std::size_t(depth_)},
                               form_weights_.data() + form_place_[f]);
    });
}

double LatentTrainer::inside(std::int64_t tree) {
    const LatentLayout& layout = grammar_.layout;
    thread_local std::vector<float> outer;
    double log_scale = 0;
    for (std::int64_t v = trees_.begin[tree]; v < trees_.begin[tree + 1]; ++v) {
        const int symbol = trees_.symbol[v], n = layout.substates[symbol], id = trees_.id[v];
        float* in = in_.data() + node_place_[v];
        std::fill_n(in, padded(n), 0.0f);
        switch (static_cast<LatentNode>(trees_.kind[v])) {
            case LatentNode::word: std::copy_n(form_weights_.data() + form_place_[id], n, in); break;
            case LatentNode::binary: {
                const int n_l = layout.substates[rules_.left[id]], n_r = padded(layout.substates[rules_.right[id]]);
                outer.assign(static_cast<std::size_t>(n_l) * n_r, 0);
                add_outer(in_.data() + node_place_[trees_.left[v]], n_l, in_.data() + node_place_[trees_.right[v]], n_r, 1,
                          outer.data());
                add_products(grammar_.binary.data() + layout.binary[id], n, outer.size(), outer.data(), in);
                break;
            }
            case LatentNode::unary:
                add_products(grammar_.unary.data() + layout.unary[id], n, padded(layout.substates[rules_.lower[id]]),
                             in_.data() + node_place_[trees_.left[v]], in);
                break;
            case LatentNode::same: {
                const float *below = in_.data() + node_place_[trees_.left[v]], *same = grammar_.same.data() + layout.row[symbol];
                for (int x = 0; x < n; ++x) in[x] = same[x] * below[x];
            }
        }
        const float scale = largest(in, padded(n));
        inverse_[v] = scale > 0 ? 1 / scale : 0;
        for (int x = 0; x < n; ++x) {
            in[x] *= inverse_[v];
            if (in[x] < kLeastInside) in[x] = 0;
        }
        log_scale += std::log(static_cast<double>(scale));
    }
    const std::int64_t top = trees_.begin[tree + 1] - 1;
    const float *in = in_.data() + node_place_[top], *root = grammar_.root.data() + layout.row[trees_.symbol[top]];
    float z = 0;
    for (int x = 0; x < layout.substates[trees_.symbol[top]]; ++x) z += root[x] * in[x];
    float* out = out_.data() + node_place_[top];
    std::fill_n(out, node_place_[top + 1] - node_place_[top], 0.0f);
    for (int x = 0; x < layout.substates[trees_.symbol[top]]; ++x) out[x] = z > 0 ? root[x] / z : 0;
    return log_scale + std::log(static_cast<double>(z));
}

void LatentTrainer::outside(std::int64_t tree) {
    const LatentLayout& layout = grammar_.layout;
    thread_local std::vector<float> sums;
    for (std::int64_t v = trees_.begin[tree + 1] - 1; v >= trees_.begin[tree]; --v) {
        const int symbol = trees_.symbol[v], n = layout.substates[symbol], id = trees_.id[v];
        const float* out = out_.data() + node_place_[v];
        const LatentNode kind = static_cast<LatentNode>(trees_.kind[v]);
        if (kind == LatentNode::word) continue;
        const std::int64_t l = trees_.left[v], r = trees_.right[v];
        float* to_left = out_.data() + node_place_[l];
        std::fill_n(to_left, node_place_[l + 1] - node_place_[l], 0.0f);
        if (kind == LatentNode::binary) {
            const int n_l = layout.substates[rules_.left[id]], n_r = padded(layout.substates[rules_.right[id]]);
            float* to_right = out_.data() + node_place_[r];
            std::fill_n(to_right, n_r, 0.0f);
            sums.resize(static_cast<std::size_t>(n_l) * n_r);
            weighted_rows(grammar_.binary.data() + layout.binary[id], n, sums.size(), out, sums.data());
            add_to_children(sums.data(), in_.data() + node_place_[l], n_l, in_.data() + node_place_[r], n_r, inverse_[v],
                            to_left, to_right);
        } else if (kind == LatentNode::unary) {
            const int n_l = padded(layout.substates[rules_.lower[id]]);
            weighted_rows(grammar_.unary.data() + layout.unary[id], n, n_l, out, to_left);
            for (int x = 0; x < n_l; ++x) to_left[x] *= inverse_[v];
        } else {
            const float* same = grammar_.same.data() + layout.row[symbol];
            for (int x = 0; x < n; ++x) to_left[x] = out[x] * same[x] * inverse_[v];
        }
    }
}

double LatentTrainer::expectation(int n_jobs) {
    weigh_forms(n_jobs);
    const std::size_t trees = trees_.begin.size() - 1, pieces = (trees + kPiece - 1) / kPiece;
    std::vector<double> logs(pieces);
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t) {
        for (std::size_t t = piece * kPiece; t < std::min(trees, (piece + 1) * kPiece); ++t) {
            logs[piece] += inside(static_cast<std::int64_t>(t));
            outside(static_cast<std::int64_t>(t));
        }
    });
    count_rules(n_jobs);
    count_words();
    count_nodes(n_jobs);
    double sum = 0;
    for (double log : logs) sum += log;
    return sum;
}

// counts[p][l][r] = w[p][l][r] Σ over the rule's nodes of out[p] in[l] in[r]
void LatentTrainer::count_rules(int n_jobs) {
    const LatentLayout& layout = grammar_.layout;
    const std::size_t n_binary = rules_.n_binary();
    parallel(n_binary + rules_.n_unary(), n_jobs, [&](std::size_t rule, std::size_t) {
        const bool is_binary = rule < n_binary;
        const std::size_t unary = rule - n_binary;
        const int n_p = layout.substates[is_binary ? rules_.parent[rule] : rules_.upper[unary]];
        const int n_l = is_binary ? layout.substates[rules_.left[rule]] : 1;
        const int n_r = padded(layout.substates[is_binary ? rules_.right[rule] : rules_.lower[unary]]);
        const float* w = is_binary ? grammar_.binary.data() + layout.binary[rule] : grammar_.unary.data() + layout.unary[unary];
        float* count = is_binary ? counts_.binary.data() + layout.binary[rule] : counts_.unary.data() + layout.unary[unary];
        std::fill_n(count, static_cast<std::size_t>(n_p) * n_l * n_r, 0.0f);
        constexpr std::int64_t kBatch = 128;
        thread_local std::vector<float> parents, lefts, rights;
        for (std::int64_t first = binary_[rule]; first < binary_[rule + 1]; first += kBatch) {
            const int batch = static_cast<int>(std::min(kBatch, binary_[rule + 1] - first));
            parents.resize(batch * n_p);
            lefts.resize(batch * n_l);
            rights.resize(batch * n_r);
            for (int i = 0; i < batch; ++i) {
                const std::int64_t v = occurrences_[first + i];
                const float* out = out_.data() + node_place_[v];
                for (int p = 0; p < n_p; ++p) parents[p * batch + i] = out[p] * inverse_[v];
                const float* l = in_.data() + node_place_[trees_.left[v]];
                for (int y = 0; is_binary && y < n_l; ++y) lefts[y * batch + i] = l[y];
                const float* r = is_binary ? in_.data() + node_place_[trees_.right[v]] : l;
                std::copy_n(r, n_r, rights.data() + static_cast<std::size_t>(i) * n_r);
            }
            if (!is_binary) std::fill(lefts.begin(), lefts.end(), 1.0f);
            thread_local std::vector<float> both;
            both.resize(batch);
            for (int p = 0; p < n_p; ++p)
                for (int y = 0; y < n_l; ++y) {
                    for (int i = 0; i < batch; ++i) both[i] = parents[p * batch + i] * lefts[y * batch + i];
                    float* line = count + (static_cast<std::size_t>(p) * n_l + y) * n_r;
                    for (int z = 0; z < n_r; z += kLanes) {
                        Row a{}, b{};
                        const float* at = rights.data() + z;
                        int i = 0;
                        for (; i + 2 <= batch; i += 2, at += 2 * n_r) {
                            a += both[i] * load(at);
                            b += both[i + 1] * load(at + n_r);
                        }
                        if (i < batch) a += both[i] * load(at);
                        store(line + z, load(line + z) + (a + b));
                    }
                }
        }
        const std::size_t size = static_cast<std::size_t>(n_p) * n_l * n_r;
        for (std::size_t i = 0; i < size; ++i) count[i] *= w[i];
    });
    std::fill(counts_.same.begin(), counts_.same.end(), 0.0f);
    std::fill(counts_.root.begin(), counts_.root.end(), 0.0f);
    for (std::size_t v = 0; v < trees_.kind.size(); ++v) {
        if (trees_.kind[v] != static_cast<std::uint8_t>(LatentNode::same)) continue;
        float* count = counts_.same.data() + layout.row[trees_.symbol[v]];
        const float *in = in_.data() + node_place_[v], *out = out_.data() + node_place_[v];
        for (int x = 0; x < layout.substates[trees_.symbol[v]]; ++x) count[x] += in[x] * out[x];
    }
    for (std::size_t t = 0; t + 1 < trees_.begin.size(); ++t) {
        const std::int64_t v = trees_.begin[t + 1] - 1;
        float* count = counts_.root.data() + layout.row[trees_.symbol[v]];
        const float *in = in_.data() + node_place_[v], *out = out_.data() + node_place_[v];
        for (int x = 0; x < layout.substates[trees_.symbol[v]]; ++x) count[x] += in[x] * out[x];
    }
}

void LatentTrainer::count_words() {
    const LatentLayout& layout = grammar_.layout;
    std::fill(lexicon_.counts.begin(), lexicon_.counts.end(), 0.0f);
    std::fill(lexicon_.prior.begin(), lexicon_.prior.end(), 0.0f);
    std::vector<float> sums;
    for (std::size_t f = 0; f < forms_.tag.size(); ++f) {
        const int n = layout.substates[forms_.tag[f]];
        sums.assign(n, 0);
        for (std::int64_t i = form_begin_[f]; i < form_begin_[f + 1]; ++i) {
            const std::size_t place = node_place_[form_nodes_[i]];
            for (int x = 0; x < n; ++x) sums[x] += in_[place + x] * out_[place + x];
        }
        float* prior = lexicon_.prior.data() + layout.row[forms_.tag[f]];
        for (int x = 0; x < n; ++x) prior[x] += sums[x];
        for (int d = 0; d < depth_; ++d) {
            const std::int32_t entry = form_entries_[f * depth_ + d];
            if (entry < 0 || !forms_.counted[f * depth_ + d]) continue;
            for (int x = 0; x < n; ++x) lexicon_.counts[lexicon_.place[entry] + x] += sums[x];
        }
    }
    for (float& p : lexicon_.prior) p /= static_cast<float>(std::max<std::size_t>(1, form_nodes_.size()));
}

void LatentTrainer::count_nodes(int n_jobs) {
    const LatentLayout& layout = grammar_.layout;
    parallel(rules_.n_symbols, n_jobs, [&](std::size_t symbol, std::size_t) {
        float* mass = mass_.data() + layout.row[symbol];
        const int n = layout.substates[symbol];
        std::fill_n(mass, n, 0.0f);
        for (std::int64_t i = symbol_begin_[symbol]; i < symbol_begin_[symbol + 1]; ++i) {
            const std::size_t place = node_place_[symbol_nodes_[i]];
            for (int x = 0; x < n; ++x) mass[x] += in_[place + x] * out_[place + x];
        }
    });
}

void LatentTrainer::maximization(float rule_smoothing, float word_smoothing, int n_jobs) {
    const LatentLayout& layout = grammar_.layout;
    lexicon_.smoothing = word_smoothing;
    // Sums of each substate's counts, below and above.
    std::vector<double> below(layout.width()), above(layout.width());
    double roots = 0;
    for (std::size_t i = 0; i < above.size(); ++i) {
        above[i] = counts_.same[i];
        roots += counts_.root[i];
    }
    const auto add = [](double& sum, const float* row, std::size_t size) {
        float part = 0;
        for (std::size_t i = 0; i < size; ++i) part += row[i];
        sum += part;
    };
    const auto shape = [&](std::size_t rule) {
        return static_cast<std::size_t>(layout.substates[rules_.left[rule]]) * padded(layout.substates[rules_.right[rule]]);
    };
    std::vector<std::vector<std::size_t>> by_parent(rules_.n_symbols), by_upper(rules_.n_symbols);
    for (std::size_t rule = 0; rule < rules_.n_binary(); ++rule) by_parent[rules_.parent[rule]].push_back(rule);
    for (std::size_t rule = 0; rule < rules_.n_unary(); ++rule) by_upper[rules_.upper[rule]].push_back(rule);
    parallel(rules_.n_symbols, n_jobs, [&](std::size_t symbol, std::size_t) {
        const int n = layout.substates[symbol];
        const std::size_t row = layout.row[symbol];
        for (std::size_t rule : by_parent[symbol])
            for (int p = 0; p < n; ++p)
                add(below[row + p], counts_.binary.data() + layout.binary[rule] + p * shape(rule), shape(rule));
        for (std::size_t rule : by_upper[symbol]) {
            const std::size_t size = padded(layout.substates[rules_.lower[rule]]);
            for (int p = 0; p < n; ++p) add(above[row + p], counts_.unary.data() + layout.unary[rule] + p * size, size);
        }
        const auto scale = [](const float* from, float* to, std::size_t size, double sum) {
            const float inverse = sum > kLeastCount ? static_cast<float>(1 / sum) : 0;
            for (std::size_t i = 0; i < size; ++i) {
                const float w = from[i] * inverse;
                to[i] = w < kLeastWeight ? 0 : w;
            }
        };
        for (std::size_t rule : by_parent[symbol]) {
            const std::size_t at = layout.binary[rule], size = shape(rule);
            for (int p = 0; p < n; ++p)
                scale(counts_.binary.data() + at + p * size, grammar_.binary.data() + at + p * size, size, below[row + p]);
            smooth(grammar_.binary.data() + at, n, size, rule_smoothing, &below[row]);
        }
        for (std::size_t rule : by_upper[symbol]) {
            const std::size_t at = layout.unary[rule], size = padded(layout.substates[rules_.lower[rule]]);
            for (int p = 0; p < n; ++p)
                scale(counts_.unary.data() + at + p * size, grammar_.unary.data() + at + p * size, size, above[row + p]);
            smooth(grammar_.unary.data() + at, n, size, rule_smoothing, &above[row]);
        }
        for (int p = 0; p < n; ++p) {
            // A symbol that never rises stays as it is, for sure.
            grammar_.same[row + p] =
                by_upper[symbol].empty() ? 1.0f
                : above[row + p] > kLeastCount ? static_cast<float>(counts_.same[row + p] / above[row + p])
                                         : 0.0f;
            grammar_.root[row + p] = static_cast<float>(counts_.root[row + p] / std::max(roots, 1e-30));
        }
        if (!by_upper[symbol].empty()) smooth(grammar_.same.data() + row, n, 1, rule_smoothing, &above[row]);
    });
}

}  // namespace palmette
