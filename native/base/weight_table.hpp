// A long table of weights: floats, or a byte for each weight, its place among 256 levels.
//
// Bytes take a quarter of the memory. Learners move floats; a model that was read from a small file has few levels.
#pragma once
#include <cstddef>
#include <cstdint>

namespace palmette {

class WeightTable {
public:
    static constexpr std::size_t kLevels = 256;

    WeightTable(const float* weights) : floats_(weights) {}  // not explicit: whatever takes a table takes floats
    WeightTable(const std::uint8_t* places, const float* levels) : places_(places), levels_(levels) {}

    // The weights one after another; null if they are bytes.
    const float* floats() const { return floats_; }
    float operator[](std::size_t at) const { return places_ ? levels_[places_[at]] : floats_[at]; }
    void fetch(std::size_t at) const {
        if (places_) __builtin_prefetch(places_ + at);
        else __builtin_prefetch(floats_ + at);
    }
    // The sum of the weights at places[0] to places[n - 1].
    float sum(const std::uint32_t* places, std::size_t n) const {
        float sum = 0;
        if (places_)
            for (std::size_t k = 0; k < n; ++k) sum += levels_[places_[places[k]]];
        else
            for (std::size_t k = 0; k < n; ++k) sum += floats_[places[k]];
        return sum;
    }

private:
    const float* floats_ = nullptr;
    const std::uint8_t* places_ = nullptr;
    const float* levels_ = nullptr;
};

}  // namespace palmette
