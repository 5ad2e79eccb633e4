// Natural numbers of any size, for exact counts: limbs of 32 bits, the lowest first, none of them a leading zero.
// A node that uses a shared tail twice squares its count, so a small graph can ask for a number that fits nowhere:
// past two million bits there is an error.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace palmette {

class BigNat {
public:
    BigNat() = default;
    explicit BigNat(uint64_t n) {
        for (; n; n >>= 32) limbs_.push_back(static_cast<uint32_t>(n));
    }

    const std::vector<uint32_t>& limbs() const { return limbs_; }
    bool is_zero() const { return limbs_.empty(); }

    BigNat& operator+=(const BigNat& b) {
        if (limbs_.size() < b.limbs_.size()) limbs_.resize(b.limbs_.size());
        uint64_t carry = 0;
        for (size_t i = 0; i < limbs_.size() && (carry || i < b.limbs_.size()); ++i) {
            carry += uint64_t{limbs_[i]} + (i < b.limbs_.size() ? b.limbs_[i] : 0);
            limbs_[i] = static_cast<uint32_t>(carry);
            carry >>= 32;
        }
        if (carry) limbs_.push_back(static_cast<uint32_t>(carry));
        return *this;
    }

    friend BigNat operator*(const BigNat& a, const BigNat& b) {
        BigNat c;
        if (a.is_zero() || b.is_zero()) return c;
        if (a.limbs_.size() + b.limbs_.size() > kMostLimbs)
            throw std::length_error("there are more than 2^2000000 derivations, too many to count exactly");
        c.limbs_.assign(a.limbs_.size() + b.limbs_.size(), 0);
        for (size_t i = 0; i < a.limbs_.size(); ++i) {
            uint64_t carry = 0;
            for (size_t j = 0; j < b.limbs_.size() || carry; ++j) {
                carry += c.limbs_[i + j] + uint64_t{a.limbs_[i]} * (j < b.limbs_.size() ? b.limbs_[j] : 0);
                c.limbs_[i + j] = static_cast<uint32_t>(carry);
                carry >>= 32;
            }
        }
        while (!c.limbs_.empty() && c.limbs_.back() == 0) c.limbs_.pop_back();
        return c;
    }

private:
    static constexpr size_t kMostLimbs = 62'500;
    std::vector<uint32_t> limbs_;
};

}  // namespace palmette
