// Attributes that come with their names, as mappings and lists of strings have them, and real values.
// They are collected token by token: the names of a token first, then its ids together, so that the lookups hide
// each other. A name costs its hash; only the name of a new attribute is kept.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/table.hpp"

namespace palmette {

std::uint64_t name_key(std::string_view name);

// Ids by name. Name i is text[offsets[i]:offsets[i + 1]].
struct NameTable {
    FeatureTable keys;
    std::string text;
    std::vector<std::int64_t> offsets{0};

    void keep(std::span<const std::int32_t> new_ids);  // those whose new id is not negative
};

struct ValuedRows {
    std::vector<std::int64_t> offsets{0}, rows{0};
    std::vector<std::int32_t> attributes;
    bool has_values = false;  // every value is 1 as long as there are none
    std::vector<float> values;
    std::vector<std::int64_t> zero_rows{0};  // the same of attributes whose value is 0, where they are kept
    std::vector<std::int32_t> zero_attributes;
};

class Collector {
public:
    // Grows the table if told to; ids are the first `bits` bits of the keys if there are any.
    Collector(NameTable& table, bool grows, int bits, bool zeros = false)
        : table_(table), grows_(grows), bits_(bits), zeros_(zeros) {}

    // Begin an attribute of the open token, append the pieces of its name, end it with its value.
    void append(std::string_view piece) {
        if (text_.size() - size_ < piece.size() + 8) text_.resize(2 * (text_.size() + piece.size() + 8));
        char* to = text_.data() + size_;
        if (piece.size() <= 16 && piece.size() >= 8) {
            std::memcpy(to, piece.data(), 8);
            std::memcpy(to + piece.size() - 8, piece.data() + piece.size() - 8, 8);
        } else {
            std::memcpy(to, piece.data(), piece.size());
        }
        size_ += piece.size();
    }
    void end_attribute(float value) {
        ends_.push_back(size_);
        values_.push_back(value);
    }
    // The name that was begun and not ended.
    std::string_view open_name() const { return names().substr(ends_.empty() ? 0 : ends_.back()); }
    // The value is 0: dropped, or kept apart.
    void end_zero() { zeros_ ? end_attribute(0.0f) : drop_open_name(); }
    void drop_open_name() { size_ = ends_.empty() ? 0 : ends_.back(); }

    void end_token();
    void end_sentence() { rows_.offsets.push_back(static_cast<std::int64_t>(rows_.rows.size()) - 1); }

    std::int64_t n_sentences() const { return static_cast<std::int64_t>(rows_.offsets.size()) - 1; }
    std::int64_t n_open_tokens() const { return static_cast<std::int64_t>(rows_.rows.size()) - 1 - rows_.offsets.back(); }

    ValuedRows& rows() { return rows_; }

private:
    NameTable& table_;
    bool grows_;
    int bits_;
    bool zeros_;
    std::string_view names() const { return {text_.data(), size_}; }

    std::string text_;  // room for the names of the open token
    std::size_t size_ = 0;
    std::vector<std::size_t> ends_;
    std::vector<float> values_;
    std::vector<std::uint64_t> keys_;
    ValuedRows rows_;
};

// As cut_off of the extraction, for rows with values.
std::vector<std::int32_t> cut_off(ValuedRows& rows, std::int32_t n_attributes, std::int64_t min_count);

}  // namespace palmette
