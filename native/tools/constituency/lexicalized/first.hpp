// The first coarse pass: a model that knows of every child only its parent's label and its side.
//
// Its chart is a vector over labels per span, and extending constituents by a child is a product of vectors, since what
// a child adds to any parent is summed beforehand:
//
//     L(i, j)[X] = Σ_k h(i, k)[X] L(k, j)[X],   h(i, k)[X] = Σ_Y C(i, k)[Y] p(Y | X, left)      O(n³ |labels|)
//
// C are constituents, L and R those that still grow leftwards or rightwards from their head child.
#pragma once
#include "tools/constituency/lexicalized/coarse.hpp"

namespace palmette {

class FirstPass {
public:
    FirstPass(const CoarseModel& c, int32_t n, std::span<const LexicalEmission> emissions, const SpanRules& rules, double threshold, double scale, Budget& budget);

    bool reached = false;  // whether anything derives the root
    // By cell and phrase (`complete`: by cell and label): insides, and then 1 where alive and 0 where not.
    std::vector<double> left, right, complete;

private:
    void inside();
    void close(double* l, double* r, double* c, bool word);
    void outside(double least);
    void heed(size_t cell, double* l, double* r, double* c) const;

    const CoarseModel& c_;
    const int32_t n_;
    const size_t m_, l_;
    std::span<const LexicalEmission> emissions_;
    const double scale_;
    const SpanRules& rules_;
    std::vector<double> hook_[2], out_left_, out_right_, out_hook_[2], fresh_, grown_;
};

}  // namespace palmette
