// What a transition-based parser looks at: Zhang and Nivre's (2011) templates and morphology, as rows of two hashed tables.
//
// A template is a few atoms such as "s0.w n0.t": the word on top of the stack and the tag of the next one. Its value is
//     mix(seed + atom₁ · k₁ + atom₂ · k₂ + …) >> (64 − bits)
// the number of a row of weights. A template with an atom that is absent (0) is skipped, so views that a treebank lacks cost
// nothing. The slots of a sentence's words are filled once per step, and no string is looked at.
//
//     slots   s0 s1 s2 stack   n0 n1 n2 buffer   s0h s0hh heads   s0l s0l2 s0r s0r2 s1l … n0l n0l2 outermost children
//             s0- s0+ s1- s1+ n0- the words beside them      h d the head and the word of an arc that gets its label, with hl … dr
//     views   w l t x f e2 e3 p3 sh c: those of features/token_views.hpp, by the first letters; m pieces of the morphology, one row each
//             r label   vl vr numbers of children   sl sr sets of their labels
//     dist    d0 between s0 and n0, d1 between s1 and s0; da of the arc with its direction, dd the direction alone
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/token_views.hpp"
#include "structures/transitions/configuration.hpp"
#include "structures/transitions/system.hpp"

namespace palmette {

// One sentence's tokens; word w is row w - 1.
struct SentenceViews {
    const TokenViews* views = nullptr;
    std::int64_t first = 0;

    const std::uint64_t* row(std::int32_t word) const;
    std::span<const std::uint64_t> morphology(std::int32_t word) const {
        if (word <= 0) return {};
        return views->morphology(first + word - 1);
    }
};

inline constexpr std::size_t kSlotSize = 16, kMostSlots = 40, kMostRows = 512;

class TransitionFeatures {
public:
    // The templates of moves and those of labels, in words; see `standard_templates`.
    TransitionFeatures(const std::vector<std::string>& moves, const std::vector<std::string>& labels, int move_bits, int label_bits);

    // Room for one thread.
    struct Room {
        std::uint64_t atoms[kMostSlots * kSlotSize] = {};
        std::int32_t words[kMostSlots] = {};
        std::int32_t rows[kMostRows];
        std::uint16_t sources[kMostRows];  // which template a row came from; filled when asked
        std::size_t n = 0;
    };
    // The rows of the next move. prefetch(row) is called as soon as a row is known.
    template <class Prefetch>
    void moves(const SentenceViews& s, const Configuration& c, Room& room, Prefetch&& prefetch, bool sources = false) const {
        fill_moves(s, c, room);
        hash(moves_, s, room, 64 - move_bits_, prefetch, sources);
    }
    // The rows of the label of an arc that is about to be made.
    template <class Prefetch>
    void labels(const SentenceViews& s, const Configuration& c, Arc arc, Room& room, Prefetch&& prefetch, bool sources = false) const {
        fill_labels(s, c, arc, room);
        hash(labels_, s, room, 64 - label_bits_, prefetch, sources);
    }
    std::size_t move_rows() const { return std::size_t{1} << move_bits_; }
    std::size_t label_rows() const { return std::size_t{1} << label_bits_; }
    std::size_t n_move_templates() const { return moves_.all.size(); }

private:
    struct Template {
        std::uint64_t seed;
        std::uint16_t atoms[4];
        std::uint8_t n;
        std::uint16_t name;
        std::int16_t pieces = -1;  // the slot of the morphology, if there is one
    };
    struct Set {
        std::vector<Template> all;        // by number of atoms; those with pieces of the morphology last
        std::size_t of_length[4] = {};    // how many have 1 … 4 atoms
        std::vector<std::uint8_t> slots;  // that some template looks at
    };
    static Set compile(const std::vector<std::string>& texts, bool labels);
    void fill_moves(const SentenceViews& s, const Configuration& c, Room& room) const;
    void fill_labels(const SentenceViews& s, const Configuration& c, Arc arc, Room& room) const;
    static void fill(const Set& set, const SentenceViews& s, const Configuration& c, Room& room);

    static std::uint64_t mixed(std::uint64_t h) {
        h = (h ^ h >> 29) * kOdd;
        return h;
    }
    static constexpr std::uint64_t kFactors[4] = {0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu, 0xA0761D6478BD642Fu, 0xE7037ED1A0B428DBu};

    template <class Prefetch>
    void hash(const Set& set, const SentenceViews& s, Room& room, int shift, Prefetch&& prefetch, bool sources) const {
        room.n = 0;
        const Template* t = set.all.data();
        t = hash_whole<1>(t, set.of_length[0], room, shift, prefetch, sources);
        t = hash_whole<2>(t, set.of_length[1], room, shift, prefetch, sources);
        t = hash_whole<3>(t, set.of_length[2], room, shift, prefetch, sources);
        t = hash_whole<4>(t, set.of_length[3], room, shift, prefetch, sources);
        for (const Template* end = set.all.data() + set.all.size(); t < end; ++t) {
            std::uint64_t h = t->seed;
            bool present = true;
            for (std::size_t k = 0; k < t->n; ++k) {
                const std::uint64_t atom = room.atoms[t->atoms[k]];
                present &= atom != 0;
                h += atom * kFactors[k];
            }
            if (!present) continue;
            for (const std::uint64_t piece : s.morphology(room.words[t->pieces])) {
                if (room.n == kMostRows) break;
                const std::int32_t row = static_cast<std::int32_t>(mixed(h + piece * kFactors[3]) >> shift);
                room.rows[room.n] = row;
                if (sources) room.sources[room.n] = t->name;
                prefetch(row);
                ++room.n;
            }
        }
    }
    // Templates of one length: no branch depends on what is seen.
    template <std::size_t N, class Prefetch>
    static const Template* hash_whole(const Template* t, std::size_t count, Room& room, int shift, Prefetch&& prefetch, bool sources) {
        std::size_t n = room.n;
        for (const Template* end = t + count; t < end; ++t) {
            std::uint64_t h = t->seed;
            bool present = true;
            for (std::size_t k = 0; k < N; ++k) {
                const std::uint64_t atom = room.atoms[t->atoms[k]];
                present &= atom != 0;
                h += atom * kFactors[k];
            }
            const std::int32_t row = static_cast<std::int32_t>(mixed(h) >> shift);
            room.rows[n] = row;
            if (sources) room.sources[n] = t->name;
            prefetch(row);
            n += present;
        }
        room.n = n;
        return t;
    }

    Set moves_, labels_;
    int move_bits_, label_bits_;
};

// The names of the slots, in the order of Room::words.
std::vector<std::string> slot_names();
// The templates that suit a system: first those of moves, then those of labels.
std::pair<std::vector<std::string>, std::vector<std::string>> standard_templates(System system);

}  // namespace palmette
