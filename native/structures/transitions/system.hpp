// Transition systems: what a parser may do next, and what that makes of its configuration.
//
//     stack … s1 s0 | n0 n1 … buffer      shift: n0 goes to the stack (in all systems)
//                     left                     right                     third
//     arc-standard    s0 → s1, pop s1          s1 → s0, pop s0           -
//     arc-hybrid      n0 → s0, pop s0          s1 → s0, pop s0           -
//     arc-eager       n0 → s0, pop s0          s0 → n0, push n0          reduce: pop s0
//     swap            as arc-standard                                    swap: s1 goes back to the buffer
//
// CSC 448, §13.1 has arc-standard, with the names of left and right the other way round: here, as in Nivre (2008), they
// say where the new dependent lies. Arc-hybrid: Kuhlmann et al. (2011); swap: Nivre (2009).
//
// In every system all ends are trees with exactly one word below the root, whatever was chosen on the way:
// arc-standard and swap have the root at the bottom of the stack and attach to it only the last word left; the others have it
// behind the last word (Ballesteros and Nivre 2013). In arc-hybrid it takes only the last word of the stack. In arc-eager the last
// word of the sentence is shifted only onto an empty stack, and becomes a dependent only when one word on the stack lacks a head: all
// others must have got theirs before. `single_root` false lifts these rules.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "structures/transitions/configuration.hpp"

namespace palmette {

enum Kind : std::uint8_t { kShift, kThird, kLeft, kRight, kKinds };
enum class System : std::uint8_t { arc_standard, arc_hybrid, arc_eager, swap };

using KindSet = std::uint8_t;  // bit k: kind k
inline constexpr KindSet bit(Kind kind) { return static_cast<KindSet>(1u << kind); }

struct Arc {
    std::int32_t head = kNone, word = kNone;
};

// The root lies at the bottom of the stack, and arcs join the two words on top.
struct ArcStandard {
    static constexpr bool root_last = false, swaps = false, has_costs = false;

    static bool finished(const Configuration& c) { return c.stack.size() == 1 && c.next(0) < 0; }
    static KindSet legal(const Configuration& c, bool single_root = true) {
        KindSet set = c.next(0) > 0 ? bit(kShift) : 0;
        if (c.stack.size() < 2) return set;
        const std::int32_t below = c.top(1);
        if (below > 0) set |= bit(kLeft) | bit(kRight);
        else if (!single_root || c.next(0) < 0) set |= bit(kRight);
        return set;
    }
    static Arc arc(const Configuration& c, Kind kind) {
        return kind == kLeft ? Arc{c.top(0), c.top(1)} : Arc{c.top(1), c.top(0)};
    }
    static void apply(Configuration& c, Kind kind, std::int32_t label) {
        if (kind == kShift) return c.push_next();
        const Arc made = arc(c, kind);
        c.attach(made.head, made.word, label);
        c.pop(kind == kLeft ? 1 : 0);
    }
};

struct Swap : ArcStandard {
    static constexpr bool swaps = true;

    static KindSet legal(const Configuration& c, bool single_root = true) {
        KindSet set = ArcStandard::legal(c, single_root);
        // Each two words change places at most once, so there is an end: after at most n² + n transitions.
        if (c.stack.size() > 2 && c.top(1) < c.top(0)) set |= bit(kThird);
        return set;
    }
    static void apply(Configuration& c, Kind kind, std::int32_t label) {
        if (kind == kThird) return c.give_back(1);
        ArcStandard::apply(c, kind, label);
    }
};

struct ArcHybrid {
    static constexpr bool root_last = true, swaps = false, has_costs = true;

    static bool finished(const Configuration& c) { return c.stack.empty() && c.next(0) <= 0; }
    static KindSet legal(const Configuration& c, bool single_root = true) {
        const bool more = c.next(0) > 0;
        KindSet set = more ? bit(kShift) : 0;
        if (!c.stack.empty() && (more || !single_root || c.stack.size() == 1)) set |= bit(kLeft);
        if (c.stack.size() > 1) set |= bit(kRight);
        return set;
    }
    static Arc arc(const Configuration& c, Kind kind) {
        return kind == kLeft ? Arc{c.next(0), c.top(0)} : Arc{c.top(1), c.top(0)};
    }
    static void apply(Configuration& c, Kind kind, std::int32_t label) {
        if (kind == kShift) return c.push_next();
        const Arc made = arc(c, kind);
        c.attach(made.head, made.word, label);
        c.pop();
    }
};

struct ArcEager {
    static constexpr bool root_last = true, swaps = false, has_costs = true;

    static bool finished(const Configuration& c) { return c.stack.empty() && c.next(0) <= 0; }
    static KindSet legal(const Configuration& c, bool single_root = true) {
        const std::int32_t word = c.next(0);
        const bool more = word > 0, last = single_root && word == c.n;
        if (c.stack.empty()) return more ? bit(kShift) : 0;
        KindSet set = more && !last ? bit(kShift) : 0;
        set |= c.words[c.top(0)].head < 0 ? bit(kLeft) : bit(kThird);
        if (more && (!last || c.headless == 1)) set |= bit(kRight);
        return set;
    }
    static Arc arc(const Configuration& c, Kind kind) {
        return kind == kLeft ? Arc{c.next(0), c.top(0)} : Arc{c.top(0), c.next(0)};
    }
    static void apply(Configuration& c, Kind kind, std::int32_t label) {
        if (kind == kLeft || kind == kRight) {
            const Arc made = arc(c, kind);
            c.attach(made.head, made.word, label);
        }
        if (kind == kShift || kind == kRight) c.push_next();
        else c.pop();
    }
};

// Calls f with the policy of a system: f(ArcHybrid{}) …
template <class F>
decltype(auto) with_system(System system, F&& f) {
    switch (system) {
        case System::arc_standard: return f(ArcStandard{});
        case System::arc_hybrid: return f(ArcHybrid{});
        case System::arc_eager: return f(ArcEager{});
        case System::swap: break;
    }
    return f(Swap{});
}

inline System system_of(std::string_view name) {
    if (name == "arc-standard") return System::arc_standard;
    if (name == "arc-hybrid") return System::arc_hybrid;
    if (name == "arc-eager") return System::arc_eager;
    if (name == "swap") return System::swap;
    throw std::invalid_argument("the system must be arc-standard, arc-hybrid, arc-eager or swap");
}

}  // namespace palmette
