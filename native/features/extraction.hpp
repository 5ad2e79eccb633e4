// From a corpus of interned columns to attribute ids, by templates.
//
// A template looks at a few (view, offset) places around a token. Its attribute there is the template together with
// the values it saw, and has the key combine(... combine(seed, hash of the first value) ..., hash of the last).
// Where a view has no value the template gives no attribute. Places outside the sentence have values of their own,
// by their distance from it. O(tokens · parts of all templates); ids are given in the order of tokens, then templates.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/table.hpp"
#include "features/values.hpp"

namespace palmette {

inline constexpr int kMaxOffset = 100;

struct View {
    std::span<const std::int32_t> types;  // of the tokens
    const FeatureValues* values;
};

struct Part {
    std::int32_t view, offset;
};

struct Template {
    std::uint64_t seed;
    std::vector<Part> parts;
};

// The hash of the place `distance` beyond a sentence's edge: negative before it, positive behind it.
std::uint64_t boundary_hash(int distance);

// The key of a template that looks at one place.
inline std::uint64_t attribute_key(std::uint64_t seed, std::uint64_t value) {
    const std::uint64_t key = combine(seed, value);
    return key ? key : 1;
}

// What each attribute of a table was made of, so that its name can be written when it is asked for.
// A part is a value's id, or -2d for the d-th place before a sentence and -2d - 1 for the d-th behind it.
struct Origins {
    std::vector<std::int32_t> templates;
    std::vector<std::int64_t> begins{0};
    std::vector<std::int32_t> parts;

    void add(const Origins& other, std::int64_t id);   // that of one attribute
    void keep(std::span<const std::int32_t> new_ids);  // those whose new id is not negative
};

struct Rows {
    std::vector<std::int64_t> rows{0};
    std::vector<std::int32_t> attributes;
};

// Adds new keys to the table, and their origins.
Rows grow(FeatureTable& table, Origins& origins, std::span<const std::int64_t> offsets, std::span<const View> views,
          std::span<const Template> templates);

// Leaves out what the table does not know.
Rows look_up(const FeatureTable& table, std::span<const std::int64_t> offsets, std::span<const View> views,
             std::span<const Template> templates);

// No table: the id is the first `bits` bits of the key.
Rows hash_only(int bits, std::span<const std::int64_t> offsets, std::span<const View> views,
               std::span<const Template> templates);

// The new id of every attribute, -1 for those that come less than `min_count` times in the rows, which lose them.
std::vector<std::int32_t> cut_off(Rows& rows, std::int32_t n_attributes, std::int64_t min_count);

// Names of attributes: template t is written literals[t][0] value literals[t][1] value ... literals[t][n].
struct Names {
    std::string text;
    std::vector<std::int64_t> offsets{0};
};
Names render(const Origins& origins, std::span<const Template> templates,
             std::span<const std::vector<std::string>> literals, std::span<const FeatureValues* const> views,
             std::span<const std::int64_t> ids);

}  // namespace palmette
