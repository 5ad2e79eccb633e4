// Memory-based parsing (Daelemans and van den Bosch 2005; Nivre et al. 2004): every step of the oracle's sequences is kept, and a new
// configuration does what the k most similar ones did.
//
//     distance(x, y) = Σ_f gain_f · [x_f ≠ y_f]        gain_f = (H(class) − H(class | f)) / H(f)
//
// Features are single atoms, and a class is a transition with its label. Only configurations that agree in the first two or three
// features are looked at, as many of these as leave k. Training costs a sort per feature; a step O(bucket · features).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "structures/transitions/problem.hpp"

namespace palmette {

class TransitionMemory {
public:
    // atoms: the templates, the first three being those of the buckets. Heads and labels are those of trees that the system can make.
    TransitionMemory(System system, const std::vector<std::string>& atoms, const TokenViews& views, const std::int32_t* heads, const std::int32_t* labels);

    // The trees of all sentences by the votes of k neighbours, each as heavy as it is near.
    void parse(const TokenViews& views, std::size_t k, int n_jobs, std::int32_t* heads, std::int32_t* labels) const;
    std::size_t size() const { return classes_.size(); }
    const std::vector<float>& gains() const { return gains_; }

private:
    struct Neighbour {
        float distance;
        std::uint32_t place;
    };
    void look(const SentenceViews& s, const Configuration& c, TransitionFeatures::Room& room, std::uint32_t* out) const;
    void sort_and_weigh();
    // The kind and label that most votes are for, of the kinds given.
    std::pair<Kind, std::int32_t> choose(const std::uint32_t* x, KindSet legal, std::size_t k, std::vector<Neighbour>& room) const;

    System system_;
    TransitionFeatures features_;
    std::size_t n_, stride_;
    std::vector<std::uint32_t> values_;   // [steps][stride]
    std::vector<std::uint32_t> classes_;  // kind + 4 · (label + 1)
    std::vector<float> gains_;            // [stride]
};

}  // namespace palmette
