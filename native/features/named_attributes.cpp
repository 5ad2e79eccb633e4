#include "features/named_attributes.hpp"

#include "base/hashing.hpp"

namespace palmette {

std::uint64_t name_key(std::string_view name) { return hash_string(name); }

void Collector::end_token() {
    keys_.clear();
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
        keys_.push_back(hash_string(names().substr(begin, end - begin)));
        if (!bits_) table_.keys.prefetch(keys_.back());
        begin = end;
    }
    begin = 0;
    for (std::size_t k = 0; k < keys_.size(); begin = ends_[k++]) {
        std::int32_t id;
        if (bits_) {
            id = static_cast<std::int32_t>(keys_[k] >> (64 - bits_));
        } else if (!grows_) {
            id = table_.keys.find(keys_[k]);
            if (id < 0) continue;
        } else {
            id = table_.keys.add(keys_[k]);
            if (id + 1 == static_cast<std::int32_t>(table_.offsets.size())) {
                table_.text.append(text_, begin, ends_[k] - begin);
                table_.offsets.push_back(static_cast<std::int64_t>(table_.text.size()));
            }
        }
        if (values_[k] == 0.0f) {
            rows_.zero_attributes.push_back(id);
            continue;
        }
        if (values_[k] != 1.0f && !rows_.has_values) {
            rows_.values.assign(rows_.attributes.size(), 1.0f);
            rows_.has_values = true;
        }
        if (rows_.has_values) rows_.values.push_back(values_[k]);
        rows_.attributes.push_back(id);
    }
    rows_.rows.push_back(static_cast<std::int64_t>(rows_.attributes.size()));
    if (zeros_) rows_.zero_rows.push_back(static_cast<std::int64_t>(rows_.zero_attributes.size()));
    size_ = 0;
    ends_.clear();
    values_.clear();
}

void NameTable::keep(std::span<const std::int32_t> new_ids) {
    keys.renumber(new_ids);
    std::string kept;
    std::vector<std::int64_t> kept_offsets{0};
    for (std::size_t id = 0; id < new_ids.size(); ++id) {
        if (new_ids[id] < 0) continue;
        kept.append(text, offsets[id], offsets[id + 1] - offsets[id]);
        kept_offsets.push_back(static_cast<std::int64_t>(kept.size()));
    }
    text.swap(kept);
    offsets.swap(kept_offsets);
}

std::vector<std::int32_t> cut_off(ValuedRows& rows, std::int32_t n_attributes, std::int64_t min_count) {
    std::vector<std::int32_t> ids(n_attributes);
    for (const std::int32_t a : rows.attributes) ids[a] += ids[a] < 0x7FFFFFFF;
    std::int32_t next = 0;
    for (std::int32_t& id : ids) id = id >= min_count ? next++ : -1;
    std::size_t from = 0, to = 0;
    for (std::size_t t = 1; t < rows.rows.size(); ++t) {
        for (; from < static_cast<std::size_t>(rows.rows[t]); ++from) {
            const std::int32_t id = ids[rows.attributes[from]];
            if (id < 0) continue;
            if (rows.has_values) rows.values[to] = rows.values[from];
            rows.attributes[to++] = id;
        }
        rows.rows[t] = static_cast<std::int64_t>(to);
    }
    rows.attributes.resize(to);
    if (rows.has_values) rows.values.resize(to);
    return ids;
}

}  // namespace palmette
