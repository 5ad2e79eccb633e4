#include "tools/alignment/phrase_pairs.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/hashing.hpp"
#include "base/parallel.hpp"
#include "base/raw_vector.hpp"

namespace palmette {

namespace {

constexpr std::size_t kSentences = 512;        // of a piece
constexpr std::size_t kOccurrences = 1 << 16;  // of a piece, when they are grouped

using Block = PhrasePairs::Place;
static_assert(sizeof(Block) == 12);

// The blocks of some sentences in their order, and how many each sentence has.
struct Piece {
    std::vector<Block> blocks;
    std::vector<std::uint32_t> sizes;
};

struct Text {
    const Side& source;
    const Side& target;
    const SortedLinks& links;
};

Piece blocks_of(const Text& text, std::size_t begin, std::size_t end, std::int32_t longest, OrientationKind kind) {
    Piece piece;
    SentenceBlocks blocks;
    Orientations orientations;
    for (std::size_t s = begin; s < end; ++s) {
        const auto l = static_cast<std::int32_t>(text.source.length(s)), m = static_cast<std::int32_t>(text.target.length(s));
        const auto first = static_cast<std::size_t>(text.links.at[s]), n = static_cast<std::size_t>(text.links.at[s + 1]) - first;
        const auto link_source = std::span(text.links.source).subspan(first, n), link_target = std::span(text.links.target).subspan(first, n);
        blocks.reset(l, m, link_source, link_target);
        orientations.reset(kind, blocks, l, m, longest, link_source, link_target);
        const auto source_at = static_cast<std::uint32_t>(text.source.offsets[s]), target_at = static_cast<std::uint32_t>(text.target.offsets[s]);
        const std::size_t before = piece.blocks.size();
        blocks.each(longest, [&](std::int32_t i0, std::int32_t i1, std::int32_t j0, std::int32_t j1) {
            Block block{source_at + static_cast<std::uint32_t>(i0), target_at + static_cast<std::uint32_t>(j0), static_cast<std::uint8_t>(i1 - i0),
                        static_cast<std::uint8_t>(j1 - j0), {}, {}};
            if (kind != OrientationKind::none) {
                block.before = orientations.before(i0, i1, j0);
                block.after = orientations.after(i0, i1, j1);
            }
            piece.blocks.push_back(block);
        });
        piece.sizes.push_back(static_cast<std::uint32_t>(piece.blocks.size() - before));
    }
    return piece;
}

// The node of every block on one side. The nodes of the phrases that begin at a word are found once in a sentence.
template <class AtOf, class LengthOf>
std::vector<std::uint32_t> nodes_of(const Side& side, const std::vector<Piece>& pieces, std::size_t n, PhraseTrie& trie, AtOf at_of, LengthOf length_of) {
    std::vector<std::uint32_t> nodes;
    nodes.reserve(n);
    std::vector<std::vector<std::uint32_t>> paths;
    std::size_t s = 0;
    for (const Piece& piece : pieces) {
        check_interrupt();
        auto block = piece.blocks.begin();
        for (const std::uint32_t size : piece.sizes) {
            if (paths.size() < side.length(s)) paths.resize(side.length(s));
            for (std::size_t k = 0; k < side.length(s); ++k) paths[k].clear();
            for (const auto last = block + size; block != last; ++block) {
                const std::size_t at = at_of(*block), length = length_of(*block);
                std::vector<std::uint32_t>& path = paths[at - static_cast<std::size_t>(side.offsets[s])];
                while (path.size() < length)
                    path.push_back(trie.child(path.empty() ? 0 : path.back(), static_cast<std::uint32_t>(side.words[at + path.size()])));
                nodes.push_back(path[length - 1]);
            }
            ++s;
        }
    }
    return nodes;
}

// How often each node occurs. weights: of the occurrences; none: one each.
std::vector<std::uint32_t> counted(std::span<const std::uint32_t> nodes, std::size_t n, std::span<const std::uint32_t> weights = {}) {
    std::vector<std::uint32_t> counts(n);
    for (std::size_t k = 0; k < nodes.size(); ++k) counts[nodes[k]] += weights.empty() ? 1 : weights[k];
    return counts;
}

// A key of the links inside a block, counted from its corner.
std::uint64_t links_key(const Text& text, const PhrasePairs::Place& place, std::int64_t corner) {
    std::uint64_t key = 0;
    for (std::size_t t = place.source_at; t < std::size_t{place.source_at} + place.source_length; ++t)
        for (std::int64_t k = text.links.of_word[t]; k < text.links.of_word[t + 1]; ++k)
            key += mix_bits((t - place.source_at) << 32 | static_cast<std::uint64_t>(text.links.target[static_cast<std::size_t>(k)] - corner)) | 1;
    return key;
}

// Blocks whose links have the same key: the earliest, how many, and how they lie to their neighbours.
struct Variant {
    std::uint32_t first, count = 0, orientation[6] = {};
};

// The variants of some occurrences of a pair. Occurrences are numbers of blocks, and rise.
template <class KeyOf, class Add>
void variants_of(std::span<const std::uint64_t> occurrences, std::vector<std::pair<std::uint64_t, std::uint32_t>>& keys, std::vector<Variant>& found, KeyOf key_of,
                 Add add) {
    keys.clear();
    for (const std::uint64_t one : occurrences)
        keys.emplace_back(occurrences.size() == 1 ? 0 : key_of(static_cast<std::uint32_t>(one)), static_cast<std::uint32_t>(one));
    std::sort(keys.begin(), keys.end());
    found.clear();
    for (std::size_t k = 0; k < keys.size(); ++k) {
        if (k == 0 || keys[k].first != keys[k - 1].first) found.push_back({keys[k].second});
        add(found.back(), keys[k].second);
    }
}

// The commonest, the earliest of these.
const Variant& commonest(const std::vector<Variant>& variants) {
    return *std::min_element(variants.begin(), variants.end(), [](const Variant& a, const Variant& b) {
        return a.count != b.count ? a.count > b.count : a.first < b.first;
    });
}

// What is known of blocks that were counted before; none: each counts one, and lies as it says.
struct Counted {
    std::span<const std::uint32_t> count, orientation;
};

// The tries of a part are empty.
void append(PhrasePairs& all, PhrasePairs&& part) {
    const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    add(all.nodes.source_node, part.nodes.source_node);
    add(all.nodes.target_node, part.nodes.target_node);
    add(all.places, part.places);
    add(all.count, part.count);
    add(all.orientation, part.orientation);
    part = {};
}

}  // namespace

SortedLinks::SortedLinks(const Side& text, std::span<const std::int64_t> links_at, std::span<const std::int32_t> link_source,
                         std::span<const std::int32_t> link_target)
    : at(links_at.begin(), links_at.end()), of_word(text.words.size() + 1), source(link_source.size()), target(link_source.size()) {
    std::vector<std::int64_t> next;
    for (std::size_t s = 0; s + 1 < at.size(); ++s) {
        const std::size_t l = text.length(s), first = static_cast<std::size_t>(text.offsets[s]);
        next.assign(l + 1, 0);
        for (auto k = static_cast<std::size_t>(at[s]); k < static_cast<std::size_t>(at[s + 1]); ++k) ++next[static_cast<std::size_t>(link_source[k]) + 1];
        next[0] = at[s];
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (std::size_t i = 0; i <= l; ++i) of_word[first + i] = next[i];
        for (auto k = static_cast<std::size_t>(at[s]); k < static_cast<std::size_t>(at[s + 1]); ++k) {
            const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(link_source[k])]++);
            source[to] = link_source[k];
            target[to] = link_target[k];
        }
    }
}

namespace {

std::vector<Piece> pieces_of(const Text& text, std::int32_t longest, OrientationKind kind, int n_jobs) {
    const std::size_t n_sentences = text.source.offsets.size() - 1;
    std::vector<Piece> pieces((n_sentences + kSentences - 1) / kSentences);
    parallel(pieces.size(), n_jobs, [&](std::size_t k, std::size_t) {
        pieces[k] = blocks_of(text, k * kSentences, std::min(n_sentences, (k + 1) * kSentences), longest, kind);
    });
    return pieces;
}

// The pairs of blocks that lie in the order of the text; apart: a pair with other links is another one.
PhrasePairs grouped(const Text& text, std::vector<Piece> pieces, const Counted& before, bool oriented, bool apart, int n_jobs) {
    const Side &source = text.source, &target = text.target;
    if (source.words.size() >> 32 || target.words.size() >> 32) throw std::length_error("a text has more than four thousand million words");
    std::size_t n = 0;
    for (const Piece& piece : pieces) n += piece.blocks.size();
    if (n >> 32) throw std::length_error("the text has more than four thousand million phrases: give it in parts, or allow shorter phrases");

    PhrasePairs found;
    std::vector<std::uint32_t> source_nodes, target_nodes;
    parallel(2, n_jobs, [&](std::size_t side, std::size_t) {
        if (side == 0)
            source_nodes = nodes_of(source, pieces, n, found.nodes.source, [](const Block& p) { return p.source_at; }, [](const Block& p) { return p.source_length; });
        else
            target_nodes = nodes_of(target, pieces, n, found.nodes.target, [](const Block& p) { return p.target_at; }, [](const Block& p) { return p.target_length; });
    });
    found.source_count = counted(source_nodes, found.nodes.source.size(), before.count);
    found.target_count = counted(target_nodes, found.nodes.target.size(), before.count);
    RawVector<Block> blocks(n);
    {
        auto at = blocks.begin();
        for (Piece& piece : pieces) {
            at = std::copy(piece.blocks.begin(), piece.blocks.end(), at);
            piece = {};
        }
    }

    // Occurrences by source node: target node << 32 | number of the block.
    std::vector<std::size_t> begin(found.nodes.source.size() + 1);
    const std::vector<std::uint32_t> blocks_of_node = counted(source_nodes, found.nodes.source.size());
    for (std::size_t node = 0; node < blocks_of_node.size(); ++node) begin[node + 1] = begin[node] + blocks_of_node[node];
    RawVector<std::uint64_t> occurrences(n);
    {
        std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
        for (std::size_t k = 0; k < n; ++k) occurrences[next[source_nodes[k]]++] = std::uint64_t{target_nodes[k]} << 32 | k;
    }
    std::vector<std::uint32_t>().swap(source_nodes);
    std::vector<std::uint32_t>().swap(target_nodes);
    std::vector<std::size_t> cuts{0};  // pieces of nodes
    for (std::size_t node = 0; node + 1 < begin.size(); ++node)
        if (begin[node + 1] - begin[cuts.back()] >= kOccurrences || node + 2 == begin.size()) cuts.push_back(node + 1);

    const auto add = [&](Variant& to, std::uint32_t k) {
        to.count += before.count.empty() ? 1 : before.count[k];
        if (!oriented) return;
        if (before.count.empty()) {
            ++to.orientation[static_cast<int>(blocks[k].before)];
            ++to.orientation[3 + static_cast<int>(blocks[k].after)];
            return;
        }
        for (std::size_t i = 0; i < 6; ++i) to.orientation[i] += before.orientation[6 * std::size_t{k} + i];
    };
    std::vector<PhrasePairs> parts(cuts.size() - 1);
    parallel(parts.size(), n_jobs, [&](std::size_t piece, std::size_t) {
        PhrasePairs& part = parts[piece];
        std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
        std::vector<Variant> variants;
        const auto emit = [&](std::size_t node, std::uint64_t one, const Variant& variant) {
            part.nodes.source_node.push_back(static_cast<std::uint32_t>(node));
            part.nodes.target_node.push_back(static_cast<std::uint32_t>(one >> 32));
            part.places.push_back(blocks[variant.first]);
            part.count.push_back(variant.count);
            if (oriented) part.orientation.insert(part.orientation.end(), variant.orientation, variant.orientation + 6);
        };
        for (std::size_t node = cuts[piece]; node < cuts[piece + 1]; ++node) {
            const auto group = std::span(occurrences).subspan(begin[node], begin[node + 1] - begin[node]);
            std::sort(group.begin(), group.end());
            for (std::size_t first = 0, last = 0; first < group.size(); first = last) {
                while (last < group.size() && group[last] >> 32 == group[first] >> 32) ++last;
                const auto key_of = [&](std::uint32_t k) {
                    const Block& place = blocks[k];
                    const auto s = std::upper_bound(target.offsets.begin(), target.offsets.end(), std::int64_t{place.target_at}) - 1;
                    return links_key(text, place, std::int64_t{place.target_at} - *s);
                };
                variants_of(group.subspan(first, last - first), keys, variants, key_of, add);
                if (apart) {
                    for (const Variant& variant : variants) emit(node, group[first], variant);
                    continue;
                }
                Variant all = commonest(variants);
                for (const Variant& variant : variants) {
                    if (variant.first == all.first) continue;
                    all.count += variant.count;
                    for (std::size_t i = 0; i < 6; ++i) all.orientation[i] += variant.orientation[i];
                }
                emit(node, group[first], all);
            }
        }
    });
    std::size_t n_pairs = 0;
    for (const PhrasePairs& part : parts) n_pairs += part.count.size();
    found.nodes.source_node.reserve(n_pairs);
    found.nodes.target_node.reserve(n_pairs);
    found.places.reserve(n_pairs);
    found.count.reserve(n_pairs);
    found.orientation.reserve(oriented ? 6 * n_pairs : 0);
    for (PhrasePairs& part : parts) append(found, std::move(part));
    return found;
}

}  // namespace

PhrasePairs phrase_pairs(const Side& source, const Side& target, const SortedLinks& links, std::int32_t longest, OrientationKind kind, int n_jobs) {
    const Text text{source, target, links};
    return grouped(text, pieces_of(text, longest, kind, n_jobs), {}, kind != OrientationKind::none, false, n_jobs);
}

PhrasePairs phrase_variants(const Side& source, const Side& target, const SortedLinks& links, std::int32_t longest, OrientationKind kind, int n_jobs) {
    const Text text{source, target, links};
    return grouped(text, pieces_of(text, longest, kind, n_jobs), {}, kind != OrientationKind::none, true, n_jobs);
}

PhrasePairs pairs_of_variants(const Side& source, const Side& target, const SortedLinks& links, std::span<const PhrasePairs::Place> places,
                              std::span<const std::uint32_t> count, std::span<const std::uint32_t> orientation, int n_jobs) {
    const std::size_t n_sentences = source.offsets.size() - 1;
    std::vector<Piece> pieces(1);
    pieces[0].blocks.assign(places.begin(), places.end());
    std::size_t at = 0;
    for (std::size_t s = 0; s < n_sentences; ++s) {
        const std::size_t first = at;
        while (at < places.size() && places[at].source_at < static_cast<std::uint64_t>(source.offsets[s + 1])) ++at;
        pieces[0].sizes.push_back(static_cast<std::uint32_t>(at - first));
    }
    return grouped({source, target, links}, std::move(pieces), {count, orientation}, !orientation.empty(), false, n_jobs);
}

std::vector<std::int32_t> sentences_of(const Side& source, std::span<const PhrasePairs::Place> places) {
    std::vector<std::int32_t> found;
    found.reserve(places.size());
    for (const PhrasePairs::Place& place : places)
        found.push_back(static_cast<std::int32_t>(std::upper_bound(source.offsets.begin(), source.offsets.end(), std::int64_t{place.source_at}) - source.offsets.begin() - 1));
    return found;
}

}  // namespace palmette
