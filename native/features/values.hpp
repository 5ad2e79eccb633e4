// One attribute of the strings of a column: what each distinct string (type) has for a value, if it has one.
// Values are interned; value v has the text text(v) and the hash hashes[v].
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hashing.hpp"
#include "features/table.hpp"

namespace palmette {

class FeatureValues {
public:
    std::vector<std::int32_t> of_type;   // -1 where a type has no value
    std::vector<std::uint64_t> hashes;

    std::int32_t n_values() const { return static_cast<std::int32_t>(hashes.size()); }
    std::string_view text(std::int32_t value) const {
        return std::string_view(text_).substr(begins_[value], begins_[value + 1] - begins_[value]);
    }

    // repeated: how many types about have the same value.
    void reserve(std::size_t n_types, std::size_t repeated = 1) {
        of_type.reserve(n_types);
        table_.reserve(std::min<std::size_t>(n_types / repeated, 1 << 16));
    }

    // The next type has no value, or this one.
    void add_absent() { of_type.push_back(-1); }
    void add(std::string_view value) {
        const std::uint64_t hash = hash_string(value);
        const std::int32_t id = table_.add(hash);
        if (id == n_values()) {
            hashes.push_back(hash);
            text_.append(value);
            begins_.push_back(text_.size());
        }
        of_type.push_back(id);
    }

    // The next type, by its string: its first or last `length` characters; absent unless it is longer than that,
    // or, with `whole`, as long.
    void add_prefix(std::string_view string, int length, bool whole = false);
    void add_suffix(std::string_view string, int length, bool whole = false);

private:
    FeatureTable table_;
    std::string text_;
    std::vector<std::size_t> begins_{0};
};

}  // namespace palmette
