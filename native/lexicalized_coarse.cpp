#include "lexicalized_coarse.hpp"

#include <algorithm>
#include <set>

namespace palmette {
namespace {

constexpr int kLevels = 5;
constexpr double kScale = 8.0;  // what a word's probability is multiplied by, so that long sentences stay in range

size_t cell_of(int32_t i, int32_t j) { return static_cast<size_t>(j) * (j - 1) / 2 + i; }

}  // namespace

CoarseModel::CoarseModel(const LexicalizedModel& model) : labels_(model.labels) {
    const int32_t n = labels_.size();
    phrase_of_.assign(n, -1);
    for (int32_t l = 0; l < n; ++l)
        if (!labels_.is_tag[l]) {
            phrase_of_[l] = static_cast<int32_t>(phrases_.size());
            phrases_.push_back(l);
        }
    const size_t m = phrases_.size();
    std::vector<float> p(n + 2);
    Variables v;
    for (const int32_t x : phrases_) {
        v.fill(-7);
        v[vX] = x;
        std::fill(p.begin(), p.end(), 0.0f);
        model.coarse[kHead].distribution(v.data(), p.data(), n);
        head_.insert(head_.end(), p.begin(), p.begin() + n);
        for (const int side : {0, 1}) {
            std::fill(p.begin(), p.end(), 0.0f);
            model.coarse[kLeft + side].distribution(v.data(), p.data(), n + 1);
            side_[side].insert(side_[side].end(), p.begin(), p.begin() + n);
            stop_[side].push_back(p[n]);
        }
    }
    (void)m;
    pairs_of_.resize(n);
    std::vector<std::set<int32_t>> lasts[2];
    lasts[0].resize(n);
    lasts[1].resize(n);
    for (const auto& [x, parent] : model.pairs) {
        pairs_of_[x].push_back(static_cast<int32_t>(pairs_.size()));
        pairs_.push_back({x, parent});
    }
    for (const auto& [side, x, last, made] : model.lasts) lasts[side][x].insert(last * 2 + made);
    rows_[0].assign(pairs_.size() * n * 2, -1);
    rows_[1].assign(pairs_.size() * n * 2, -1);
    int32_t rows = 0;
    for (size_t q = 0; q < pairs_.size(); ++q) {
        v.fill(-7);
        v[vX] = pairs_[q].label;
        v[vP] = pairs_[q].parent;
        std::fill(p.begin(), p.end(), 0.0f);
        model.coarse[kHead].distribution(v.data(), p.data(), n);
        pair_head_.insert(pair_head_.end(), p.begin(), p.begin() + n);
        for (const int side : {0, 1}) {
            std::fill(p.begin(), p.end(), 0.0f);
            model.coarse_pairs[side].distribution(v.data(), p.data(), n + 1);
            pair_side_[side].insert(pair_side_[side].end(), p.begin(), p.begin() + n);
            pair_stop_[side].push_back(p[n]);
        }
        for (const int side : {0, 1})
            for (const int32_t code : lasts[side][pairs_[q].label]) {
                v[vP1] = code / 2;
                v[vMade] = code % 2;
                std::fill(p.begin(), p.end(), 0.0f);
                model.coarse[kLeft + side].distribution(v.data(), p.data(), n + 1);
                next_.insert(next_.end(), p.begin(), p.begin() + n + 1);
                rows_[side][q * n * 2 + code] = rows++;
            }
    }
}

// Inside and outside of the first model. What is alive: [cell][phrase] for the three kinds, [emission] for tags.
class FirstPass {
public:
    FirstPass(const CoarseModel& c, int32_t n, std::span<const Emission> emissions, double threshold)
        : c_(c), n_(n), m_(c.phrases_.size()), l_(c.labels_.size()), emissions_(emissions) {
        const size_t cells = static_cast<size_t>(n) * (n + 1) / 2;
        for (auto* a : {&left, &right, &hook_[0], &hook_[1], &out_left_, &out_right_, &out_hook_[0], &out_hook_[1]}) a->assign(cells * m_, 0.0);
        complete.assign(cells * l_, 0.0);
        inside();
        const double z = complete[cell_of(0, n) * l_ + c.labels_.root];
        reached = z > 0.0;
        if (reached) outside(threshold * z);
    }

    std::vector<double> left, right, complete;  // then: 1 where alive, 0 where not
    bool reached = false;

private:
    void inside() {
        for (int32_t j = 1; j <= n_; ++j)
            for (int32_t i = j - 1; i >= 0; --i) {
                const size_t cell = cell_of(i, j);
                double* l = &left[cell * m_];
                double* r = &right[cell * m_];
                for (int32_t k = i + 1; k < j; ++k) {
                    const size_t a = cell_of(i, k) * m_, b = cell_of(k, j) * m_;
                    for (size_t x = 0; x < m_; ++x) l[x] += hook_[0][a + x] * left[b + x];
                    for (size_t x = 0; x < m_; ++x) r[x] += right[a + x] * hook_[1][b + x];
                }
                double* c = &complete[cell * l_];
                if (j == i + 1)
                    for (const Emission& e : emissions_)
                        if (e.position == i) c[e.tag] = e.ratio * kScale;
                close(l, r, c);
                for (const int side : {0, 1}) {
                    double* h = &hook_[side][cell * m_];
                    for (size_t x = 0; x < m_; ++x) {
                        const float* p = &c_.side_[side][x * l_];
                        double sum = 0.0;
                        for (size_t y = 0; y < l_; ++y) sum += c[y] * p[y];
                        h[x] = sum;
                    }
                }
            }
    }

    // Chains of single children: what completes may be the head of something that grows, and complete it at once.
    void close(double* l, double* r, double* c) {
        fresh_.assign(c, c + l_);
        for (size_t x = 0; x < m_; ++x) {
            r[x] += l[x] * c_.stop_[0][x];
            const double done = r[x] * c_.stop_[1][x];
            c[c_.phrases_[x]] += done;
            fresh_[c_.phrases_[x]] += done;
        }
        for (int level = 0; level < kLevels; ++level) {
            next_.assign(l_, 0.0);
            for (size_t x = 0; x < m_; ++x) {
                const float* p = &c_.head_[x * l_];
                double sum = 0.0;
                for (size_t y = 0; y < l_; ++y) sum += fresh_[y] * p[y];
                l[x] += sum;
                sum *= c_.stop_[0][x];
                r[x] += sum;
                sum *= c_.stop_[1][x];
                c[c_.phrases_[x]] += sum;
                next_[c_.phrases_[x]] = sum;
            }
            fresh_.swap(next_);
        }
    }

    void outside(double least) {
        std::vector<double> oc(l_), total(l_), ol(m_), orr(m_);
        for (int32_t j = n_; j >= 1; --j)
            for (int32_t i = 0; i < j; ++i) {
                const size_t cell = cell_of(i, j);
                std::fill(oc.begin(), oc.end(), 0.0);
                if (i == 0 && j == n_) oc[c_.labels_.root] = 1.0;
                for (const int side : {0, 1})
                    for (size_t x = 0; x < m_; ++x) {
                        const double o = out_hook_[side][cell * m_ + x];
                        if (o == 0.0) continue;
                        const float* p = &c_.side_[side][x * l_];
                        for (size_t y = 0; y < l_; ++y) oc[y] += o * p[y];
                    }
                total = oc;
                for (int level = 0; level <= kLevels; ++level) {
                    for (size_t x = 0; x < m_; ++x) {
                        orr[x] = out_right_[cell * m_ + x] + c_.stop_[1][x] * total[c_.phrases_[x]];
                        ol[x] = out_left_[cell * m_ + x] + c_.stop_[0][x] * orr[x];
                    }
                    if (level == kLevels) break;
                    total = oc;
                    for (size_t x = 0; x < m_; ++x) {
                        if (ol[x] == 0.0) continue;
                        const float* p = &c_.head_[x * l_];
                        for (size_t y = 0; y < l_; ++y) total[y] += ol[x] * p[y];
                    }
                }
                // Downwards before the insides of this cell become flags: the cells below are still whole.
                for (int32_t k = i + 1; k < j; ++k) {
                    const size_t a = cell_of(i, k) * m_, b = cell_of(k, j) * m_;
                    for (size_t x = 0; x < m_; ++x) {
                        out_hook_[0][a + x] += ol[x] * left[b + x];
                        out_left_[b + x] += ol[x] * hook_[0][a + x];
                        out_right_[a + x] += orr[x] * hook_[1][b + x];
                        out_hook_[1][b + x] += orr[x] * right[a + x];
                    }
                }
                for (size_t x = 0; x < m_; ++x) {
                    left[cell * m_ + x] = left[cell * m_ + x] * ol[x] >= least;
                    right[cell * m_ + x] = right[cell * m_ + x] * orr[x] >= least;
                }
                for (size_t y = 0; y < l_; ++y) complete[cell * l_ + y] = complete[cell * l_ + y] * total[y] >= least;
            }
    }

    const CoarseModel& c_;
    const int32_t n_;
    const size_t m_, l_;
    std::span<const Emission> emissions_;
    std::vector<double> hook_[2], out_left_, out_right_, out_hook_[2], fresh_, next_;
};

// The first model with the parent's label beside the constituent's, over what the first pass left.
class PairPass {
public:
    PairPass(const CoarseModel& c, const FirstPass& alive, int32_t n, std::span<const Emission> emissions, double threshold)
        : c_(c), alive_(alive), n_(n), q_(c.pairs_.size()), m_(c.phrases_.size()), l_(c.labels_.size()), emissions_(emissions) {
        const size_t cells = static_cast<size_t>(n) * (n + 1) / 2;
        for (auto* a : {&left, &right, &complete, &hook_[0], &hook_[1], &out_left_, &out_right_, &out_hook_[0], &out_hook_[1]}) a->assign(cells * q_, 0.0);
        tags.assign(emissions.size(), 0.0);
        first_emission_.assign(n + 1, 0);
        for (const Emission& e : emissions) ++first_emission_[e.position + 1];
        for (int32_t i = 0; i < n; ++i) first_emission_[i + 1] += first_emission_[i];
        // Labels over a span or a longer one: what a parent may be.
        above_.assign(cells * m_, 0);
        for (int32_t length = n; length >= 1; --length)
            for (int32_t i = 0; i + length <= n; ++i) {
                const int32_t j = i + length;
                uint8_t* own = &above_[cell_of(i, j) * m_];
                for (size_t x = 0; x < m_; ++x)
                    own[x] = alive.complete[cell_of(i, j) * l_ + c.phrases_[x]] > 0.0 || (i > 0 && above_[cell_of(i - 1, j) * m_ + x]) || (j < n && above_[cell_of(i, j + 1) * m_ + x]);
            }
        inside();
        double z = 0.0;
        for (const int32_t q : c.pairs_of_[c.labels_.root]) z += complete[cell_of(0, n) * q_ + q];
        reached = z > 0.0;
        least = threshold * z;
        if (reached) outside();
    }

    // By cell and pair (tags by emission): inside, and then the outside of what is alive, 0 elsewhere.
    std::vector<double> left, right, complete, tags;
    double least = 0.0;
    bool reached = false;

private:
    bool may(size_t cell, size_t q) const {
        const int32_t parent = c_.pairs_[q].parent;
        return parent >= static_cast<int32_t>(l_) || above_[cell * m_ + c_.phrase_of_[parent]];
    }
    bool left_alive(size_t cell, size_t q) const { return alive_.left[cell * m_ + c_.phrase_of_[c_.pairs_[q].label]] > 0.0; }
    bool right_alive(size_t cell, size_t q) const { return alive_.right[cell * m_ + c_.phrase_of_[c_.pairs_[q].label]] > 0.0; }
    bool complete_alive(size_t cell, size_t q) const { return alive_.complete[cell * l_ + c_.pairs_[q].label] > 0.0; }

    void inside() {
        for (int32_t j = 1; j <= n_; ++j)
            for (int32_t i = j - 1; i >= 0; --i) {
                const size_t cell = cell_of(i, j);
                double* l = &left[cell * q_];
                double* r = &right[cell * q_];
                double* c = &complete[cell * q_];
                for (int32_t k = i + 1; k < j; ++k) {
                    const double *ha = &hook_[0][cell_of(i, k) * q_], *lb = &left[cell_of(k, j) * q_];
                    const double *ra = &right[cell_of(i, k) * q_], *hb = &hook_[1][cell_of(k, j) * q_];
                    for (size_t q = 0; q < q_; ++q) l[q] += ha[q] * lb[q];
                    for (size_t q = 0; q < q_; ++q) r[q] += ra[q] * hb[q];
                }
                fresh_.clear();
                for (size_t q = 0; q < q_; ++q) {
                    if (l[q] > 0.0 && !left_alive(cell, q)) l[q] = 0.0;
                    if (!right_alive(cell, q)) {
                        r[q] = 0.0;
                        continue;
                    }
                    r[q] += l[q] * c_.pair_stop_[0][q];
                    if (r[q] > 0.0 && complete_alive(cell, q)) {
                        c[q] = r[q] * c_.pair_stop_[1][q];
                        fresh_.push_back({c_.pairs_[q].label, c_.pairs_[q].parent, c[q]});
                    }
                }
                if (j == i + 1)
                    for (int32_t e = first_emission_[i]; e < first_emission_[i + 1]; ++e)
                        if (alive_.complete[cell * l_ + emissions_[e].tag] > 0.0) {
                            tags[e] = emissions_[e].ratio * kScale;
                            fresh_.push_back({emissions_[e].tag, -1, tags[e]});
                        }
                for (int level = 0; level < kLevels && !fresh_.empty(); ++level) {
                    next_.clear();
                    for (size_t q = 0; q < q_; ++q) {
                        if (!left_alive(cell, q) || !may(cell, q)) continue;
                        double sum = 0.0;
                        for (const Fresh& f : fresh_)
                            if (f.parent < 0 || f.parent == c_.pairs_[q].label) sum += f.mass * c_.pair_head_[q * l_ + f.label];
                        if (sum == 0.0) continue;
                        l[q] += sum;
                        if (!right_alive(cell, q)) continue;
                        sum *= c_.pair_stop_[0][q];
                        r[q] += sum;
                        if (!complete_alive(cell, q)) continue;
                        sum *= c_.pair_stop_[1][q];
                        c[q] += sum;
                        next_.push_back({c_.pairs_[q].label, c_.pairs_[q].parent, sum});
                    }
                    fresh_.swap(next_);
                }
                for (const int side : {0, 1}) {
                    double* h = &hook_[side][cell * q_];
                    for (size_t y = 0; y < q_; ++y) {
                        if (c[y] == 0.0 || c_.pairs_[y].parent >= static_cast<int32_t>(l_)) continue;
                        for (const int32_t q : c_.pairs_of_[c_.pairs_[y].parent]) h[q] += c[y] * c_.pair_side_[side][q * l_ + c_.pairs_[y].label];
                    }
                    if (j == i + 1)
                        for (int32_t e = first_emission_[i]; e < first_emission_[i + 1]; ++e)
                            for (size_t q = 0; q < q_; ++q) h[q] += tags[e] * c_.pair_side_[side][q * l_ + emissions_[e].tag];
                }
            }
    }

    void outside() {
        std::vector<double> oc(q_), total(q_), ol(q_), orr(q_);
        for (int32_t j = n_; j >= 1; --j)
            for (int32_t i = 0; i < j; ++i) {
                const size_t cell = cell_of(i, j);
                double *l = &left[cell * q_], *r = &right[cell * q_], *c = &complete[cell * q_];
                std::fill(oc.begin(), oc.end(), 0.0);
                if (i == 0 && j == n_)
                    for (const int32_t q : c_.pairs_of_[c_.labels_.root]) oc[q] = 1.0;
                for (size_t y = 0; y < q_; ++y) {
                    if (c[y] == 0.0 || c_.pairs_[y].parent >= static_cast<int32_t>(l_)) continue;
                    for (const int side : {0, 1})
                        for (const int32_t q : c_.pairs_of_[c_.pairs_[y].parent]) oc[y] += out_hook_[side][cell * q_ + q] * c_.pair_side_[side][q * l_ + c_.pairs_[y].label];
                }
                total = oc;
                for (int level = 0; level <= kLevels; ++level) {
                    bool changed = false;
                    for (size_t q = 0; q < q_; ++q) {
                        orr[q] = r[q] > 0.0 ? out_right_[cell * q_ + q] + (c[q] > 0.0 ? c_.pair_stop_[1][q] * total[q] : 0.0) : 0.0;
                        ol[q] = l[q] > 0.0 ? out_left_[cell * q_ + q] + c_.pair_stop_[0][q] * orr[q] : 0.0;
                    }
                    if (level == kLevels) break;
                    for (size_t y = 0; y < q_; ++y) {
                        if (c[y] == 0.0 || c_.pairs_[y].parent >= static_cast<int32_t>(l_)) continue;
                        double sum = oc[y];
                        for (const int32_t q : c_.pairs_of_[c_.pairs_[y].parent]) sum += ol[q] * c_.pair_head_[q * l_ + c_.pairs_[y].label];
                        changed |= sum != total[y];
                        total[y] = sum;
                    }
                    if (!changed) break;
                }
                for (int32_t k = i + 1; k < j; ++k) {
                    const size_t a = cell_of(i, k) * q_, b = cell_of(k, j) * q_;
                    double *oha = &out_hook_[0][a], *olb = &out_left_[b], *ora = &out_right_[a], *ohb = &out_hook_[1][b];
                    const double *lb = &left[b], *ha = &hook_[0][a], *hb = &hook_[1][b], *ra = &right[a];
                    for (size_t q = 0; q < q_; ++q) {
                        oha[q] += ol[q] * lb[q];
                        olb[q] += ol[q] * ha[q];
                    }
                    for (size_t q = 0; q < q_; ++q) {
                        ora[q] += orr[q] * hb[q];
                        ohb[q] += orr[q] * ra[q];
                    }
                }
                if (j == i + 1)
                    for (int32_t e = first_emission_[i]; e < first_emission_[i + 1]; ++e) {
                        double sum = 0.0;
                        for (size_t q = 0; q < q_; ++q) {
                            const size_t at = q * l_ + emissions_[e].tag;
                            sum += ol[q] * c_.pair_head_[at] + out_hook_[0][cell * q_ + q] * c_.pair_side_[0][at] + out_hook_[1][cell * q_ + q] * c_.pair_side_[1][at];
                        }
                        tags[e] = tags[e] * sum >= least;
                    }
                for (size_t q = 0; q < q_; ++q) {
                    l[q] = l[q] * ol[q] >= least ? ol[q] : 0.0;
                    r[q] = r[q] * orr[q] >= least ? orr[q] : 0.0;
                    c[q] = c[q] * total[q] >= least ? total[q] : 0.0;
                }
            }
    }

    struct Fresh {
        int32_t label, parent;
        double mass;
    };
    const CoarseModel& c_;
    const FirstPass& alive_;
    const int32_t n_;
    const size_t q_, m_, l_;
    std::span<const Emission> emissions_;
    std::vector<int32_t> first_emission_;
    std::vector<double> hook_[2], out_left_, out_right_, out_hook_[2];
    std::vector<uint8_t> above_;
    std::vector<Fresh> fresh_, next_;
};

// The second model over what is alive, edge by edge.
class SecondPass {
public:
    SecondPass(const CoarseModel& c, const PairPass& alive, int32_t n, std::span<const Emission> emissions, Forest& f)
        : c_(c), alive_(alive), n_(n), l_(c.labels_.size()), q_(c.pairs_.size()), f_(f), cells_(static_cast<size_t>(n) * (n + 1) / 2) {
        for (int32_t j = 1; j <= n; ++j)
            for (int32_t i = j - 1; i >= 0; --i) fill(i, j, emissions);
    }

    bool prune(double threshold) {
        for (const int32_t root : cells_[cell_of(0, n_)].complete)
            if (f_.items[root].label == c_.labels_.root) f_.roots.push_back(root);
        double z = 0.0;
        for (const int32_t root : f_.roots) {
            z += f_.items[root].in;
            f_.items[root].out = 1.0;
        }
        if (!(z > 0.0)) return false;
        for (size_t e = f_.edges.size(); e-- > 0;) {
            const ForestEdge& edge = f_.edges[e];
            const double o = f_.items[edge.head].out * edge.weight;
            if (o == 0.0) continue;
            if (edge.b < 0) {
                f_.items[edge.a].out += o;
            } else {
                f_.items[edge.a].out += o * f_.items[edge.b].in;
                f_.items[edge.b].out += o * f_.items[edge.a].in;
            }
        }
        f_.visited = f_.edges.size();
        std::vector<int32_t> number(f_.items.size(), -1);
        size_t kept = 0;
        for (size_t v = 0; v < f_.items.size(); ++v)
            if (f_.items[v].in * f_.items[v].out >= threshold * z) {
                number[v] = static_cast<int32_t>(kept);
                f_.items[kept++] = f_.items[v];
            }
        f_.items.resize(kept);
        size_t edges = 0;
        for (ForestEdge edge : f_.edges) {
            edge.head = number[edge.head];
            edge.a = number[edge.a];
            if (edge.b >= 0) {
                edge.b = number[edge.b];
                if (edge.b < 0) continue;
            }
            if (edge.head >= 0 && edge.a >= 0) f_.edges[edges++] = edge;
        }
        f_.edges.resize(edges);
        std::vector<int32_t> roots;
        for (const int32_t root : f_.roots)
            if (number[root] >= 0) roots.push_back(number[root]);
        f_.roots = roots;
        f_.log_z = std::log(z) - n_ * std::log(kScale);
        return !roots.empty();
    }

private:
    struct Cell {
        std::vector<int32_t> complete, left, right;
    };

    void fill(int32_t i, int32_t j, std::span<const Emission> emissions) {
        Cell& cell = cells_[cell_of(i, j)];
        const double* left = &alive_.left[cell_of(i, j) * q_];
        const double* right = &alive_.right[cell_of(i, j) * q_];
        const double* complete = &alive_.complete[cell_of(i, j) * q_];
        for (int32_t k = i + 1; k < j; ++k) {
            const auto& children = cells_[cell_of(i, k)].complete;
            if (children.empty()) continue;
            for (const int32_t b : cells_[cell_of(k, j)].left) {
                const ForestItem grown = f_.items[b];
                if (left[grown.pair] == 0.0) continue;
                for (const int32_t a : children) extend(cell.left, i, j, grown, a, a, b, 0);
            }
        }
        drop(cell.left, 0, left);
        const size_t lefts = cell.left.size();
        for (int32_t k = i + 1; k < j; ++k) {
            const auto& children = cells_[cell_of(k, j)].complete;
            if (children.empty()) continue;
            for (const int32_t a : cells_[cell_of(i, k)].right) {
                const ForestItem grown = f_.items[a];
                if (right[grown.pair] == 0.0) continue;
                for (const int32_t b : children) extend(cell.right, i, j, grown, b, a, b, 1);
            }
        }
        size_t first = 0;
        if (j == i + 1)
            for (const Emission& e : emissions)
                if (e.position == i && alive_.tags[&e - emissions.data()] > 0.0) {
                    cell.complete.push_back(static_cast<int32_t>(f_.items.size()));
                    f_.items.push_back({i, j, e.tag, -1, -1, kComplete, 0, 0, -1, -1, -1, e.ratio * kScale, 0.0});
                }
        size_t first_left = 0, first_right = 0;
        for (int8_t level = 0;; ++level) {
            for (size_t q = first_left; q < cell.left.size(); ++q) stop_left(cell, i, j, cell.left[q], level, first_right, right);
            first_left = std::max(lefts, cell.left.size());
            drop(cell.right, first_right, right);
            const size_t rights = cell.right.size();
            const size_t completes = cell.complete.size();
            for (size_t q = first_right; q < rights; ++q) stop_right(cell, i, j, cell.right[q], level, completes, complete);
            first_right = rights;
            drop(cell.complete, completes, complete);
            if (level == kLevels - 1 || first == cell.complete.size()) break;
            const size_t last = cell.complete.size(), begin = cell.left.size();
            for (size_t q = first; q < last; ++q) start(cell, i, j, cell.complete[q], static_cast<int8_t>(level + 1), begin, left);
            first = last;
            first_left = begin;
            drop(cell.left, begin, left);
        }
    }

    // The item of a list from number `first` on, or a new one. Items of one row form a chain.
    int32_t item(std::vector<int32_t>& list, size_t first, const ForestItem& wanted, std::vector<int32_t>& chains, int32_t place) {
        if (chains.size() <= static_cast<size_t>(place)) chains.resize(place + 1, -1);
        const int32_t oldest = first < list.size() ? list[first] : static_cast<int32_t>(f_.items.size());
        for (int32_t q = chains[place]; q >= oldest && q < static_cast<int32_t>(f_.items.size()); q = chain_[q])
            if (f_.items[q].head_child == wanted.head_child) return q;
        const auto made = static_cast<int32_t>(f_.items.size());
        list.push_back(made);
        f_.items.push_back(wanted);
        chain_.resize(made + 1, -1);
        chain_[made] = chains[place];
        chains[place] = made;
        return made;
    }

    // Takes items out of a list that the pass before finds improbable with their insides of this one.
    void drop(std::vector<int32_t>& list, size_t first, const double* outside) {
        const auto begin = list.begin() + static_cast<std::ptrdiff_t>(std::min(first, list.size()));
        list.erase(std::remove_if(begin, list.end(), [&](int32_t id) { return f_.items[id].in * outside[f_.items[id].pair] < alive_.least; }), list.end());
    }

    void add(int32_t head, int32_t a, int32_t b, float weight) {
        f_.edges.push_back({head, a, b, weight});
        f_.items[head].in += weight * f_.items[a].in * (b < 0 ? 1.0 : f_.items[b].in);
    }

    int32_t row(int32_t pair, int32_t last, int made, int side) const { return c_.rows_[side][(static_cast<size_t>(pair) * l_ + last) * 2 + made]; }

    void extend(std::vector<int32_t>& list, int32_t i, int32_t j, const ForestItem& grown, int32_t child_id, int32_t a, int32_t b, int side) {
        const ForestItem& child = f_.items[child_id];
        if (child.parent >= 0 && child.parent != grown.label) return;
        const float p = c_.next_[static_cast<size_t>(grown.row) * (l_ + 1) + child.label];
        if (p < 1e-7f) return;
        const int32_t next = row(grown.pair, child.label, 1, side);
        if (next < 0) return;
        add(item(list, 0, {i, j, grown.label, grown.parent, child.label, side ? kGrowsRight : kGrowsLeft, 1, 0, grown.head_child, grown.pair, next, 0.0, 0.0}, by_row_, next), a, b, p);
    }

    void stop_left(Cell& cell, int32_t i, int32_t j, int32_t id, int8_t level, size_t first, const double* alive) {
        const ForestItem grown = f_.items[id];
        if (alive[grown.pair] == 0.0) return;
        const float p = c_.next_[static_cast<size_t>(grown.row) * (l_ + 1) + l_];
        const int32_t next = row(grown.pair, grown.head_child, 0, 1);
        if (p <= 0.0f || next < 0) return;
        add(item(cell.right, first, {i, j, grown.label, grown.parent, grown.head_child, kGrowsRight, 0, level, grown.head_child, grown.pair, next, 0.0, 0.0}, by_row_, next), id, -1, p);
    }

    void stop_right(Cell& cell, int32_t i, int32_t j, int32_t id, int8_t level, size_t first, const double* alive) {
        const ForestItem grown = f_.items[id];
        if (alive[grown.pair] == 0.0) return;
        const float p = c_.next_[static_cast<size_t>(grown.row) * (l_ + 1) + l_];
        if (p <= 0.0f) return;
        add(item(cell.complete, first, {i, j, grown.label, grown.parent, -1, kComplete, 0, level, -1, grown.pair, -1, 0.0, 0.0}, by_pair_, grown.pair), id, -1, p);
    }

    void start(Cell& cell, int32_t i, int32_t j, int32_t id, int8_t level, size_t first, const double* alive) {
        const ForestItem child = f_.items[id];
        for (size_t q = 0; q < c_.pairs_.size(); ++q) {
            const auto [x, parent] = c_.pairs_[q];
            if (child.parent >= 0 && child.parent != x) continue;
            if (alive[q] == 0.0) continue;
            const float p = c_.pair_head_[q * l_ + child.label];
            if (p < 1e-7f) continue;
            const int32_t next = row(static_cast<int32_t>(q), child.label, 0, 0);
            if (next < 0) continue;
            add(item(cell.left, first, {i, j, x, parent, child.label, kGrowsLeft, 0, level, child.label, static_cast<int32_t>(q), next, 0.0, 0.0}, by_row_, next), id, -1, p);
        }
    }

    const CoarseModel& c_;
    const PairPass& alive_;
    const int32_t n_;
    const size_t l_, q_;
    Forest& f_;
    std::vector<Cell> cells_;
    std::vector<int32_t> by_row_, by_pair_, chain_;
};

bool CoarseModel::forest(int32_t n, std::span<const Emission> emissions, const CoarseOptions& options, Forest& made) const {
    const FirstPass first(*this, n, emissions, options.first);
    if (!first.reached) return false;
    const PairPass pairs(*this, first, n, emissions, options.pairs);
    if (!pairs.reached) return false;
    SecondPass second(*this, pairs, n, emissions, made);
    return second.prune(options.second);
}

}  // namespace palmette
