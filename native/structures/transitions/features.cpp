#include "structures/transitions/features.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

namespace palmette {
namespace {

enum Slot : std::uint8_t {
    S0, S1, S2, N0, N1, N2, S0H, S0HH, S0L, S0L2, S0R, S0R2, S1L, S1L2, S1R, S1R2, N0L, N0L2,
    S0Before, S0After, S1Before, S1After, N0Before, H, D, HL, HR, DL, DL2, DR, DR2, HBefore, HAfter, DBefore, DAfter, HH, Distances, kSlots
};
static_assert(kSlots <= kMostSlots);

constexpr std::array<std::string_view, kSlots> kSlotNames = {
    "s0", "s1", "s2", "n0", "n1", "n2", "s0h", "s0hh", "s0l", "s0l2", "s0r", "s0r2", "s1l", "s1l2", "s1r", "s1r2", "n0l", "n0l2",
    "s0-", "s0+", "s1-", "s1+", "n0-", "h", "d", "hl", "hr", "dl", "dl2", "dr", "dr2", "h-", "h+", "d-", "d+", "hh", ""};

enum OwnView : std::size_t { kLabel = kViews, kLefts, kRights, kLeftSet, kRightSet, kOwnViews };
static_assert(kOwnViews <= kSlotSize);
constexpr std::array<std::string_view, kOwnViews> kViewNames = {"w", "l", "t", "x", "f", "e2", "e3", "p3", "sh", "c", "r", "vl", "vr", "sl", "sr"};
constexpr std::array<std::string_view, 4> kDistanceNames = {"d0", "d1", "da", "dd"};

// No word, and the root, as views: only what templates need to tell them from others.
constexpr std::array<std::uint64_t, kViews> absent_views() {
    std::array<std::uint64_t, kViews> row{};
    row[kUpos] = kBefore;
    return row;
}
constexpr std::array<std::uint64_t, kViews> root_views() {
    std::array<std::uint64_t, kViews> row{};
    row[kWord] = row[kUpos] = row[kXpos] = kRoot;
    return row;
}
constexpr std::array<std::uint64_t, kViews> kAbsentRow = absent_views(), kRootRow = root_views();

std::uint64_t distance(std::int32_t from, std::int32_t to) {
    const std::int32_t d = std::abs(to - from);
    return static_cast<std::uint64_t>(d < 6 ? d : d < 10 ? 6 : d < 20 ? 7 : 8) + 1;
}

std::size_t place(std::string_view name, const auto& names) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? names.size() : static_cast<std::size_t>(found - names.begin());
}

}  // namespace

const std::uint64_t* SentenceViews::row(std::int32_t word) const {
    return word > 0 ? views->row(first + word - 1) : word == 0 ? kRootRow.data() : kAbsentRow.data();
}

TransitionFeatures::Set TransitionFeatures::compile(const std::vector<std::string>& texts, bool labels) {
    Set set;
    if (texts.size() * 2 > kMostRows) throw std::invalid_argument("there are too many templates");
    std::array<bool, kSlots> used{};
    for (std::size_t name = 0; name < texts.size(); ++name) {
        Template t{};
        t.pieces = -1;
        t.name = static_cast<std::uint16_t>(name);
        t.seed = hash_string(texts[name], labels ? 2 : 1);
        std::istringstream words(texts[name]);
        std::string atom;
        while (words >> atom) {
            const std::size_t dot = atom.find('.');
            const std::string_view text = atom;
            if (dot == std::string::npos) {
                const std::size_t which = place(text, kDistanceNames);
                if (which == kDistanceNames.size() || t.n == 4) throw std::invalid_argument("no such atom: " + atom);
                t.atoms[t.n++] = static_cast<std::uint16_t>(Distances * kSlotSize + which);
                continue;
            }
            const std::size_t slot = place(text.substr(0, dot), kSlotNames);
            const std::string_view view = text.substr(dot + 1);
            if (slot == kSlotNames.size()) throw std::invalid_argument("no such atom: " + atom);
            used[slot] = true;
            if (view == "m") {
                t.pieces = static_cast<std::int16_t>(slot);
                continue;
            }
            const std::size_t which = place(view, kViewNames);
            if (which == kViewNames.size() || t.n == 4) throw std::invalid_argument("no such atom: " + atom);
            t.atoms[t.n++] = static_cast<std::uint16_t>(slot * kSlotSize + which);
        }
        if ((!t.n && t.pieces < 0) || (t.n == 4 && t.pieces >= 0)) throw std::invalid_argument("a template has one to four atoms");
        set.all.push_back(t);
    }
    std::stable_sort(set.all.begin(), set.all.end(), [](const Template& a, const Template& b) {
        return (a.pieces >= 0) != (b.pieces >= 0) ? b.pieces >= 0 : a.n < b.n;
    });
    for (const Template& t : set.all)
        if (t.pieces < 0) ++set.of_length[t.n - 1];
    for (std::size_t slot = 0; slot < kSlots; ++slot)
        if (used[slot]) set.slots.push_back(static_cast<std::uint8_t>(slot));
    return set;
}

TransitionFeatures::TransitionFeatures(const std::vector<std::string>& moves, const std::vector<std::string>& labels, int move_bits, int label_bits)
    : moves_(compile(moves, false)), labels_(compile(labels, true)), move_bits_(move_bits), label_bits_(label_bits) {
    if (move_bits < 4 || move_bits > 28 || label_bits < 4 || label_bits > 28) throw std::invalid_argument("bits must be 4 to 28");
}

void TransitionFeatures::fill(const Set& set, const SentenceViews& s, const Configuration& c, Room& room) {
    for (const std::uint8_t slot : set.slots) {
        const std::int32_t word = room.words[slot];
        std::uint64_t* atoms = room.atoms + slot * kSlotSize;
        const std::uint64_t* views = s.row(word);
        for (std::size_t v = 0; v < kViews; ++v) atoms[v] = views[v];
        if (word >= 0) {
            const ParsedWord& w = c.words[word];
            atoms[kLabel] = static_cast<std::uint64_t>(w.label + 1);
            atoms[kLefts] = std::min<std::uint64_t>(w.n_left, 5) + 1;
            atoms[kRights] = std::min<std::uint64_t>(w.n_right, 5) + 1;
            atoms[kLeftSet] = w.left_labels;
            atoms[kRightSet] = w.right_labels;
        } else {
            for (std::size_t v = kLabel; v < kOwnViews; ++v) atoms[v] = 0;
        }
    }
}

void TransitionFeatures::fill_moves(const SentenceViews& s, const Configuration& c, Room& room) const {
    std::int32_t* words = room.words;
    const auto of = [&](std::int32_t word, std::int32_t ParsedWord::* what) { return word >= 0 ? c.words[word].*what : kNone; };
    const auto beside = [&](std::int32_t word, std::int32_t step) {
        return word > 0 && word + step > 0 && word + step <= c.n ? word + step : kNone;
    };
    const std::int32_t s0 = c.top(0), s1 = c.top(1), n0 = c.next(0);
    words[S0] = s0, words[S1] = s1, words[S2] = c.top(2);
    words[N0] = n0, words[N1] = c.next(1), words[N2] = c.next(2);
    words[S0H] = of(s0, &ParsedWord::head);
    words[S0HH] = of(words[S0H], &ParsedWord::head);
    words[S0L] = of(s0, &ParsedWord::left), words[S0L2] = of(s0, &ParsedWord::left2);
    words[S0R] = of(s0, &ParsedWord::right), words[S0R2] = of(s0, &ParsedWord::right2);
    words[S1L] = of(s1, &ParsedWord::left), words[S1L2] = of(s1, &ParsedWord::left2);
    words[S1R] = of(s1, &ParsedWord::right), words[S1R2] = of(s1, &ParsedWord::right2);
    words[N0L] = of(n0, &ParsedWord::left), words[N0L2] = of(n0, &ParsedWord::left2);
    words[S0Before] = beside(s0, -1), words[S0After] = beside(s0, 1);
    words[S1Before] = beside(s1, -1), words[S1After] = beside(s1, 1), words[N0Before] = beside(n0, -1);
    fill(moves_, s, c, room);
    std::uint64_t* distances = room.atoms + Distances * kSlotSize;
    distances[0] = s0 > 0 && n0 > 0 ? distance(s0, n0) : 0;
    distances[1] = s1 > 0 && s0 > 0 ? distance(s1, s0) : 0;
}

void TransitionFeatures::fill_labels(const SentenceViews& s, const Configuration& c, Arc arc, Room& room) const {
    std::int32_t* words = room.words;
    const std::int32_t h = arc.head, d = arc.word;
    const auto beside = [&](std::int32_t word, std::int32_t step) {
        return word > 0 && word + step > 0 && word + step <= c.n ? word + step : kNone;
    };
    const ParsedWord &hw = c.words[h], &dw = c.words[d];
    words[H] = h, words[D] = d, words[HL] = hw.left, words[HR] = hw.right, words[HH] = hw.head;
    words[DL] = dw.left, words[DL2] = dw.left2, words[DR] = dw.right, words[DR2] = dw.right2;
    words[HBefore] = beside(h, -1), words[HAfter] = beside(h, 1), words[DBefore] = beside(d, -1), words[DAfter] = beside(d, 1);
    fill(labels_, s, c, room);
    room.atoms[Distances * kSlotSize + 2] = h == 0 ? 1 : 2 * distance(h, d) + (d < h);
    room.atoms[Distances * kSlotSize + 3] = h == 0 ? 1 : 2 + (d < h);
}

std::vector<std::string> slot_names() { return {kSlotNames.begin(), kSlotNames.end() - 1}; }

std::pair<std::vector<std::string>, std::vector<std::string>> standard_templates(System system) {
    // a and b: the two words that an arc may join.
    const auto pair_of = [](const std::string& a, const std::string& b, const std::string& d) {
        std::vector<std::string> all;
        for (const char* text : {"a.w a.t b.w b.t", "a.w b.w", "a.l b.l", "a.l b.t", "a.t b.l", "a.w b.x", "a.x b.w", "a.t b.t", "a.x b.x",
                                 "a.x b.x d", "a.t b.t d", "a.w d", "b.w d", "a.l b.l d", "a.f b.f", "a.t a.f b.t b.f",
                                 "a.c b.c", "a.t a.m b.t", "a.t b.m b.t"}) {
            std::string made;
            std::istringstream words(text);
            std::string atom;
            while (words >> atom) {
                if (!made.empty()) made += ' ';
                made += atom == "d" ? d : (atom[0] == 'a' ? a : b) + atom.substr(1);
            }
            all.push_back(made);
        }
        return all;
    };
    std::vector<std::string> moves = {
        "s0.w s0.t", "s0.w", "s0.x", "s0.l", "s0.f s0.t", "s0.e3", "s0.e2 s0.t", "s0.sh", "n0.w n0.t", "n0.w", "n0.x", "n0.l", "n0.f n0.t", "n0.e3",
        "n0.e2 n0.t", "n0.sh", "n1.w", "n1.x", "n1.l", "n2.w", "n2.x", "s1.w", "s1.x", "s1.l",
        "n0.x n1.x", "n0.t n1.t n2.t", "s0.t n0.t n1.t", "s0.x n0.x n1.x", "s0.w n0.x n1.x", "s0.x n0.w n1.x", "s0.x n0.x n1.w", "s1.t s0.t n0.t", "s0.t n0.t n1.t n2.t",
        "s2.t s1.t s0.t n0.t",
        "s0.t s0l.t n0.t", "s0.t s0r.t n0.t", "s0.t n0.t n0l.t", "s0.w s0.vr", "s0.t s0.vr s0.vl", "s0.w s0.vl", "n0.w n0.vl", "n0.t n0.vl",
        "s0l.w", "s0l.t s0l.r", "s0r.w", "s0r.t s0r.r", "n0l.w", "n0l.t n0l.r", "s0.t s0l.r s0r.r n0.t", "s0.l s0r.r", "s0.l s0l.r",
        "s0.t s0l.t s0l2.t", "s0.t s0r.t s0r2.t", "n0.t n0l.t n0l2.t", "s0l2.r s0l2.w", "s0r2.r s0r2.w", "n0l2.r n0l2.w",
        "s0.w s0.sr", "s0.t s0.sr", "s0.w s0.sl", "s0.t s0.sl", "n0.w n0.sl", "n0.t n0.sl", "s0.t s0.sr n0.t", "s0.t s0.sl n0.t", "s0.t n0.t n0.sl",
        "s0-.x s0.x s0+.x", "n0-.x n0.x", "s0.x s0+.x n0.x"};
    const auto join = [&](std::vector<std::string> more) { moves.insert(moves.end(), more.begin(), more.end()); };
    join(pair_of("s0", "n0", "d0"));
    if (system == System::arc_eager) {
        join({"s0h.w", "s0h.x", "s0.r", "s0.r s0.t n0.t", "s0h.t s0.t n0.t", "s0h.l n0.l", "s0h.l n0.t", "s0h.t n0.w", "s0h.r", "s0hh.w", "s0hh.t s0h.r", "s0.t s0h.t s0hh.t",
              "s0.r s0.l", "s1.t s0.t s0.r n0.t", "s0h.t s0h.sr n0.t"});
    } else {
        join(pair_of("s1", "s0", "d1"));
        join({"s1.w s1.t", "s1.f s1.t", "s1.e3", "s2.w", "s2.x", "s1.w n0.w", "s1.l n0.l", "s1.w n0.x", "s1.x n0.w", "s1.x n0.x", "s1.x s0.x n0.x", "s1.x s0.x n0.w", "s1.x s0.w n0.x", "s1.w s0.x n0.x",
              "s1.l s0.t n0.l", "s1.t s0.t n0.t n1.t", "s2.x s1.x s0.x", "s2.l s1.t s0.t",
              "s1l.w", "s1l.t s1l.r", "s1r.w", "s1r.t s1r.r", "s1.t s1l.t s0.t", "s1.t s1r.t s0.t", "s1.t s0.t s0l.t", "s1.t s0.t s0r.t", "s1.t s0.t s0l.r", "s1.t s0.t s0r.r", "s1.t s1r.r s0.t", "s1.t s1l.r s0.t",
              "s1.t s1r.t s1r2.t", "s1.t s1l.t s1l2.t", "s1.w s1.vr", "s1.t s1.vr", "s1.w s1.sr", "s1.t s1.sr", "s1.w s1.vl", "s1.t s1.sl", "s1.w s1.sl",
              "s1.t s1.sr s0.t", "s1.t s0.t s0.sl", "s1.t s0.t s0.sr", "s1.l s0l.l", "s1.t s0l.l s0.l", "s1.t s1r.l s0.t", "s1.x s1+.x s0.x s0-.x", "s1.x s1+.x s0.x", "s1.x s0-.x s0.x"});
    }
    std::vector<std::string> labels = {
        "d.w", "d.l", "d.t", "d.x", "d.f", "d.e3", "d.sh", "h.w", "h.l", "h.t", "h.x", "da", "h.t d.t da", "h.w d.w", "h.l d.l", "h.t d.w", "h.l d.t", "h.w d.x", "h.x d.l", "h.x d.x", "h.t d.t",
        "h.t d.e3", "h.e3 d.t", "h.l d.x da", "h.x d.l da", "h.f d.f", "h.t d.f", "h.f d.t", "d.m d.t h.t", "h.m h.t d.t", "h.t dl.l d.t", "h.t dl.l", "dl.l d.l", "h.t dr.l d.t", "h.l dl.l",
        "d.t d.sl h.t", "d.t d.sr h.t", "h.t h.sl d.t", "h.t h.sr d.t", "h.l h.sr d.t", "h.w h.sl d.t", "d.t dl.r h.t", "d.t dl2.l", "d.t dr.r h.t", "h.r h.t d.t", "hh.t h.t d.t", "d-.x d.x d+.x",
        "d.x d+.w", "d-.w d.x", "h.x h+.x d-.x d.x", "h.x h-.x d.x d+.x", "h.c d.c", "hr.r h.t d.t", "hl.r h.t d.t", "h.t d.sh"};
    // The direction of an arc tells nearly all labels apart: it is in every template that has room.
    for (std::string& text : labels)
        if (text.find("da") == std::string::npos && std::count(text.begin(), text.end(), ' ') < 3) text += " dd";
    return {moves, labels};
}

}  // namespace palmette
