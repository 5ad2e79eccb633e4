// The pass between: the first model with the parent's label beside every constituent's, where the first pass left
// something. Its outside values tell the second model, while that is still working upwards, what is worth keeping.
#pragma once
#include "tools/constituency/lexicalized/first.hpp"

namespace palmette {

class PairPass {
public:
    PairPass(const CoarseModel& c, const FirstPass& alive, int32_t n, std::span<const LexicalEmission> emissions, double threshold, double scale, Budget& budget);

    bool reached = false;
    double total = 0.0;  // of all trees
    // Outside values of what is alive by pair, 0 for the rest; null where nothing is.
    const double* left(size_t cell) const { return at(left_, cell); }
    const double* right(size_t cell) const { return at(right_, cell); }
    const double* complete(size_t cell) const { return at(complete_, cell); }
    std::vector<double> tags;  // 1 for emissions that are alive

private:
    const double* at(const std::vector<double>& values, size_t cell) const { return row_of_[cell] < 0 ? nullptr : &values[row_of_[cell] * q_]; }
    void find_rows(Budget& budget);
    void inside();
    void close(size_t cell, size_t row, int32_t word);
    void hooks(size_t row, int32_t word);
    void outside(double least);
    void outside_cell(size_t row, int32_t word, bool root, double least);

    struct Fresh {
        int32_t label, parent;
        double mass;
    };
    enum : uint8_t { kL = 1, kR = 2, kC = 4 };
    const CoarseModel& c_;
    const FirstPass& alive_;
    const int32_t n_;
    const size_t q_, m_, l_;
    std::span<const LexicalEmission> emissions_;
    const double scale_;
    std::vector<int32_t> first_emission_;
    std::vector<int64_t> row_of_;  // of cells
    std::vector<uint8_t> may_;     // by row and pair: which kinds are worth computing
    std::vector<double> left_, right_, complete_, hook_[2], out_left_, out_right_, out_hook_[2];
    std::vector<double> oc_, total_, ol_, or_;
    std::vector<Fresh> fresh_, next_;
};

}  // namespace palmette
