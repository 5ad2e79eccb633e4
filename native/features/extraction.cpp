#include "features/extraction.hpp"

#include <algorithm>

namespace palmette {

namespace {

constexpr std::int64_t kChunk = 256;  // tokens looked at together, so that the lookups of one hide each other
constexpr std::uint64_t kBoundarySeed = 0xB0;
constexpr std::int32_t kUnknown = -2;

std::string boundary_text(int distance) {
    return distance < 0 ? "_B" + std::to_string(distance) : "_B+" + std::to_string(distance);
}

}  // namespace

std::uint64_t boundary_hash(int distance) { return hash_string(boundary_text(distance), kBoundarySeed); }

namespace {

// A symbol is a value of a view; n_values + d for the place d + 1 before the sentence, n_values + reach + d for the
// place d + 1 behind it; -1 where there is no value. A template whose combinations of symbols are few keeps its ids
// in an array over them; the others look every key up.
template <class Resolve>
class Extraction {
public:
    Extraction(std::span<const std::int64_t> offsets, std::span<const View> views, std::span<const Template> templates,
               Resolve& resolve)
        : offsets_(offsets), views_(views), templates_(templates), resolve_(resolve) {
        for (const Template& t : templates)
            for (const Part& part : t.parts) reach_ = std::max(reach_, std::abs(part.offset));
        for (int d = 1; d <= reach_; ++d) boundaries_.push_back(boundary_hash(-d));
        for (int d = 1; d <= reach_; ++d) boundaries_.push_back(boundary_hash(d));
        const std::size_t width = kChunk + 2 * reach_;
        symbols_.assign(views.size(), std::vector<std::int32_t>(width));
        hashes_.resize(views.size());
        const std::int64_t limit = 2 * offsets.back() + 64;
        plans_.resize(templates.size());
        for (std::size_t t = 0; t < templates.size(); ++t) {
            std::int64_t cells = 1;
            for (const Part& part : templates[t].parts)
                cells = std::min(limit + 1, cells * n_symbols(part.view));
            if (cells <= limit) {
                plans_[t].ids.assign(std::max<std::int64_t>(cells, 1), kUnknown);  // none where no type has a value
                plans_[t].cells.resize(kChunk);
            } else {
                plans_[t].keys.resize(kChunk);
                for (const Part& part : templates[t].parts) hashes_[part.view].resize(width);
            }
        }
    }

    Rows run() {
        Rows out;
        const std::int64_t n = offsets_.back();
        out.rows.reserve(n + 1);
        out.attributes.reserve(n * templates_.size());
        for (std::size_t s = 0; s + 1 < offsets_.size(); ++s)
            for (std::int64_t begin = offsets_[s]; begin < offsets_[s + 1]; begin += kChunk)
                chunk(offsets_[s], offsets_[s + 1], begin, std::min(begin + kChunk, offsets_[s + 1]), out);
        return out;
    }

private:
    struct Plan {
        std::vector<std::int32_t> ids;     // by cell, the mixed-radix number of the symbols; empty for lookups
        std::vector<std::int32_t> cells;   // of the chunk's tokens, -1 for no attribute
        std::vector<std::uint64_t> keys;   // of the chunk's tokens, 0 for no attribute
    };

    std::int32_t n_symbols(std::int32_t view) const { return views_[view].values->n_values() + 2 * reach_; }

    std::uint64_t hash_of(std::int32_t view, std::int32_t symbol) const {
        const FeatureValues& values = *views_[view].values;
        return symbol < values.n_values() ? values.hashes[symbol] : boundaries_[symbol - values.n_values()];
    }

    void chunk(std::int64_t first, std::int64_t last, std::int64_t begin, std::int64_t end, Rows& out) {
        for (std::size_t v = 0; v < views_.size(); ++v) fill(v, first, last, begin, end);
        const int n = static_cast<int>(end - begin);
        for (std::size_t t = 0; t < templates_.size(); ++t)
            plans_[t].ids.empty() ? find_keys(t, n) : find_cells(t, n);
        for (int i = 0; i < n; ++i) {
            for (std::size_t t = 0; t < templates_.size(); ++t) {
                const std::int32_t id = plans_[t].ids.empty() ? by_key(t, i) : by_cell(t, i);
                if (id >= 0) out.attributes.push_back(id);
            }
            out.rows.push_back(static_cast<std::int64_t>(out.attributes.size()));
        }
    }

    void fill(std::size_t v, std::int64_t first, std::int64_t last, std::int64_t begin, std::int64_t end) {
        const FeatureValues& values = *views_[v].values;
        std::int32_t* symbols = symbols_[v].data();
        const std::int32_t outside = values.n_values();
        for (std::int64_t at = begin - reach_; at < end + reach_; ++at) {
            std::int32_t symbol;
            if (at < first)
                symbol = outside + static_cast<std::int32_t>(first - at - 1);
            else if (at >= last)
                symbol = outside + reach_ + static_cast<std::int32_t>(at - last);
            else
                symbol = values.of_type[views_[v].types[at]];
            *symbols++ = symbol;
        }
        if (hashes_[v].empty()) return;
        const std::int64_t width = end - begin + 2 * reach_;
        for (std::int64_t i = 0; i < width; ++i)
            hashes_[v][i] = symbols_[v][i] < 0 ? 0 : hash_of(static_cast<std::int32_t>(v), symbols_[v][i]);
    }

    // cell = (… symbol₁ · n₂ + symbol₂ …), -1 if one is.
    void find_cells(std::size_t t, int n) {
        std::int32_t* cells = plans_[t].cells.data();
        std::fill_n(cells, n, 0);
        std::int32_t absent[kChunk] = {};
        for (const Part& part : templates_[t].parts) {
            const std::int32_t* symbols = symbols_[part.view].data() + reach_ + part.offset;
            const std::uint32_t radix = n_symbols(part.view);
            for (int i = 0; i < n; ++i) {
                cells[i] = static_cast<std::int32_t>(cells[i] * radix + symbols[i]);
                absent[i] |= symbols[i];
            }
        }
        for (int i = 0; i < n; ++i) cells[i] = absent[i] < 0 ? -1 : cells[i];
    }

    void find_keys(std::size_t t, int n) {
        std::uint64_t* keys = plans_[t].keys.data();
        std::fill_n(keys, n, templates_[t].seed);
        std::int32_t absent[kChunk] = {};
        for (const Part& part : templates_[t].parts) {
            const std::uint64_t* hashes = hashes_[part.view].data() + reach_ + part.offset;
            const std::int32_t* symbols = symbols_[part.view].data() + reach_ + part.offset;
            for (int i = 0; i < n; ++i) {
                keys[i] = combine(keys[i], hashes[i]);
                absent[i] |= symbols[i];
            }
        }
        for (int i = 0; i < n; ++i) {
            keys[i] = absent[i] < 0 ? 0 : keys[i] ? keys[i] : 1;
            resolve_.prefetch(keys[i]);
        }
    }

    std::int32_t by_cell(std::size_t t, int i) {
        const std::int32_t cell = plans_[t].cells[i];
        if (cell < 0) return -1;
        std::int32_t& id = plans_[t].ids[cell];
        if (id == kUnknown) {
            std::uint64_t key = templates_[t].seed;
            for (const Part& part : templates_[t].parts)
                key = combine(key, hash_of(part.view, symbols_[part.view][reach_ + part.offset + i]));
            id = resolved(key ? key : 1, t, i);
        }
        return id;
    }

    std::int32_t by_key(std::size_t t, int i) {
        const std::uint64_t key = plans_[t].keys[i];
        return key ? resolved(key, t, i) : -1;
    }

    std::int32_t resolved(std::uint64_t key, std::size_t t, int i) {
        return resolve_(key, [&](Origins& origins) {
            origins.templates.push_back(static_cast<std::int32_t>(t));
            for (const Part& part : templates_[t].parts) {
                const std::int32_t symbol = symbols_[part.view][reach_ + part.offset + i];
                const std::int32_t outside = symbol - views_[part.view].values->n_values();
                origins.parts.push_back(outside < 0        ? symbol
                                        : outside < reach_ ? -2 * (outside + 1)
                                                           : -2 * (outside - reach_ + 1) - 1);
            }
            origins.begins.push_back(static_cast<std::int64_t>(origins.parts.size()));
        });
    }

    std::span<const std::int64_t> offsets_;
    std::span<const View> views_;
    std::span<const Template> templates_;
    Resolve& resolve_;
    std::int32_t reach_ = 0;
    std::vector<std::uint64_t> boundaries_;
    std::vector<std::vector<std::int32_t>> symbols_;  // of the chunk and `reach_` places on both sides
    std::vector<std::vector<std::uint64_t>> hashes_;
    std::vector<Plan> plans_;
};

struct Growing {
    FeatureTable& table;
    Origins& origins;
    void prefetch(std::uint64_t key) const { table.prefetch(key); }
    template <class Note>
    std::int32_t operator()(std::uint64_t key, Note note) {
        const std::int32_t id = table.add(key);
        if (id == static_cast<std::int32_t>(origins.templates.size())) note(origins);
        return id;
    }
};

struct Frozen {
    const FeatureTable& table;
    void prefetch(std::uint64_t key) const { table.prefetch(key); }
    template <class Note>
    std::int32_t operator()(std::uint64_t key, Note) const {
        return table.find(key);
    }
};

struct Hashed {
    int shift;
    void prefetch(std::uint64_t) const {}
    template <class Note>
    std::int32_t operator()(std::uint64_t key, Note) const {
        return static_cast<std::int32_t>(key >> shift);
    }
};

}  // namespace

Rows grow(FeatureTable& table, Origins& origins, std::span<const std::int64_t> offsets, std::span<const View> views,
          std::span<const Template> templates) {
    Growing resolve{table, origins};
    return Extraction<Growing>(offsets, views, templates, resolve).run();
}

Rows look_up(const FeatureTable& table, std::span<const std::int64_t> offsets, std::span<const View> views,
             std::span<const Template> templates) {
    Frozen resolve{table};
    return Extraction<Frozen>(offsets, views, templates, resolve).run();
}

Rows hash_only(int bits, std::span<const std::int64_t> offsets, std::span<const View> views,
               std::span<const Template> templates) {
    Hashed resolve{64 - bits};
    return Extraction<Hashed>(offsets, views, templates, resolve).run();
}

void Origins::add(const Origins& other, std::int64_t id) {
    templates.push_back(other.templates[id]);
    parts.insert(parts.end(), other.parts.begin() + other.begins[id], other.parts.begin() + other.begins[id + 1]);
    begins.push_back(static_cast<std::int64_t>(parts.size()));
}

void Origins::keep(std::span<const std::int32_t> new_ids) {
    std::size_t kept = 0;
    std::int64_t end = 0;
    for (std::size_t id = 0; id < templates.size(); ++id) {
        if (new_ids[id] < 0) continue;
        const std::int64_t from = begins[id], to = begins[id + 1];
        std::copy(parts.begin() + from, parts.begin() + to, parts.begin() + end);
        end += to - from;
        templates[kept++] = templates[id];
        begins[kept] = end;  // kept ≤ id + 1, whose begin was read above
    }
    templates.resize(kept);
    begins.resize(kept + 1);
    parts.resize(end);
    templates.shrink_to_fit();
    begins.shrink_to_fit();
    parts.shrink_to_fit();
}

std::vector<std::int32_t> cut_off(Rows& rows, std::int32_t n_attributes, std::int64_t min_count) {
    std::vector<std::int32_t> counts(n_attributes);
    for (const std::int32_t a : rows.attributes) counts[a] += counts[a] < 0x7FFFFFFF;
    std::int32_t next = 0;
    for (std::int32_t& count : counts) count = count >= min_count ? next++ : -1;
    std::size_t from = 0, to = 0;
    for (std::size_t t = 1; t < rows.rows.size(); ++t) {
        for (; from < static_cast<std::size_t>(rows.rows[t]); ++from)
            if (const std::int32_t id = counts[rows.attributes[from]]; id >= 0) rows.attributes[to++] = id;
        rows.rows[t] = static_cast<std::int64_t>(to);
    }
    rows.attributes.resize(to);
    rows.attributes.shrink_to_fit();
    return counts;
}

Names render(const Origins& origins, std::span<const Template> templates,
             std::span<const std::vector<std::string>> literals, std::span<const FeatureValues* const> views,
             std::span<const std::int64_t> ids) {
    Names names;
    names.offsets.reserve(ids.size() + 1);
    names.text.reserve(24 * ids.size());
    for (const std::int64_t id : ids) {
        const std::int32_t t = origins.templates[id];
        names.text += literals[t][0];
        for (std::size_t j = 0; j < templates[t].parts.size(); ++j) {
            const std::int32_t part = origins.parts[origins.begins[id] + j];
            if (part >= 0)
                names.text += views[templates[t].parts[j].view]->text(part);
            else
                names.text += boundary_text(part % 2 ? -(part + 1) / 2 : part / 2);
            names.text += literals[t][j + 1];
        }
        names.offsets.push_back(static_cast<std::int64_t>(names.text.size()));
    }
    return names;
}

}  // namespace palmette
