// Rows of a Gram matrix: of a whole one in memory, or made when they are asked for and kept while there is room.
//
// A learner in dual form asks for the row of an example again and again, but of few examples: those near the boundary. So the rows that were
// used last are kept, and the one that was not used for the longest time gives way.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace palmette {

class GramRows {
public:
    // whole: [n][n], which must outlive this.
    GramRows(std::size_t n, const double* whole) : n_(n), whole_(whole) {}
    // make(i, out) writes row i; at most `most_bytes` of them are kept, and two at least.
    GramRows(std::size_t n, std::function<void(std::size_t, double*)> make, std::size_t most_bytes);

    std::size_t size() const { return n_; }
    bool is_whole() const { return whole_ != nullptr; }
    // How many rows were made.
    std::size_t made() const { return made_; }

    // Row i; it stays where it is until two others have been asked for.
    const double* operator[](std::size_t i) { return whole_ ? whole_ + i * n_ : kept(i); }

private:
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;
    struct Slot {
        std::vector<double> row;
        std::uint32_t item = kNone, older = kNone, newer = kNone;
    };
    const double* kept(std::size_t i);
    void unlink(std::uint32_t slot);
    void make_newest(std::uint32_t slot);

    std::size_t n_;
    const double* whole_ = nullptr;
    std::function<void(std::size_t, double*)> make_;
    std::size_t most_ = 0, made_ = 0;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> slot_of_;
    std::uint32_t oldest_ = kNone, newest_ = kNone;
};

}  // namespace palmette
