// Whether the arrays of a table that lies in a file fit together; messages name the kind of table and the array.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

namespace palmette {

struct DamagedTable : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

struct TableChecks {
    const char* table;  // "phrase table"

    [[noreturn]] void fail(const std::string& why) const { throw DamagedTable(std::string("the ") + table + " is damaged: " + why); }

    // Row r of `last` items goes from begins[r] to begins[r + 1]; only the ends are looked at.
    void rows(std::span<const std::uint32_t> begins, std::size_t rows, std::uint32_t first, std::size_t last, const char* name) const {
        if (begins.size() != rows + 1 || begins.front() != first || begins.back() != last)
            fail(std::string("array ") + name + " does not cut " + std::to_string(last) + " items into " + std::to_string(rows) + " rows");
    }

    void rising(std::span<const std::uint32_t> begins, const char* name) const {
        bool falls = false;
        for (std::size_t k = 1; k < begins.size(); ++k) falls |= begins[k] < begins[k - 1];
        if (falls) fail(std::string("array ") + name + " falls");
    }

    template <class Number>
    void below(std::span<const Number> values, std::size_t limit, const char* name) const {
        Number most = 0;
        for (const Number value : values) most = std::max(most, value);
        if (!values.empty() && most >= limit)
            fail(std::string("array ") + name + " points to " + std::to_string(most) + ", and there are only " + std::to_string(limit));
    }

    void finite(std::span<const float> values, const char* name) const {
        bool all = true;
        for (const float value : values) all &= std::abs(value) <= std::numeric_limits<float>::max();
        if (!all) fail(std::string("array ") + name + " has a value that is not a finite number");
    }
};

}  // namespace palmette
