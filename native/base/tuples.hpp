// Tables of tuples of 32-bit values: a set with row numbers, and indexes on some of the columns.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace palmette {

inline uint64_t hash_step(uint64_t hash, int32_t value) {
    hash = (hash ^ static_cast<uint32_t>(value)) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
}

// Rows of equal width, numbered in the order of their coming.
class TupleTable {
public:
    explicit TupleTable(int32_t width = 0) : width_(width) {}

    int32_t size() const { return size_; }
    std::span<const int32_t> row(int32_t r) const {
        return {values_.data() + static_cast<size_t>(r) * width_, static_cast<size_t>(width_)};
    }
    int32_t push(std::span<const int32_t> tuple) {
        values_.insert(values_.end(), tuple.begin(), tuple.end());
        return size_++;
    }
    size_t bytes() const { return values_.capacity() * sizeof(int32_t); }

private:
    int32_t width_, size_ = 0;
    std::vector<int32_t> values_;
};

// Open addressing over entries that are compared and hashed by the caller; -1 is an empty slot.
class HashSlots {
public:
    HashSlots() : slots_(16, -1) {}

    // The entry with this hash for which same(entry) holds, or -1 with `slot` where it belongs.
    template <class Same>
    int32_t find(uint64_t hash, Same same, size_t& slot) const {
        size_t mask = slots_.size() - 1;
        for (slot = hash & mask;; slot = (slot + 1) & mask) {
            int32_t entry = slots_[slot];
            if (entry < 0 || same(entry)) return entry;
        }
    }
    // Puts a new entry into the slot that find() gave; hash_of(entry) is needed when the table grows.
    template <class HashOf>
    void put(size_t slot, int32_t entry, HashOf hash_of) {
        slots_[slot] = entry;
        if (++used_ * 2 <= slots_.size()) return;
        std::vector<int32_t> old(slots_.size() * 2, -1);
        old.swap(slots_);
        size_t mask = slots_.size() - 1;
        for (int32_t e : old) {
            if (e < 0) continue;
            size_t i = hash_of(e) & mask;
            while (slots_[i] >= 0) i = (i + 1) & mask;
            slots_[i] = e;
        }
    }
    size_t bytes() const { return slots_.capacity() * sizeof(int32_t); }

private:
    std::vector<int32_t> slots_;
    size_t used_ = 0;
};

// A table that holds every tuple once.
class TupleSet {
public:
    explicit TupleSet(int32_t width = 0) : table_(width) {}

    const TupleTable& table() const { return table_; }
    // The row of a tuple, put at the end if it is new.
    int32_t row_of(std::span<const int32_t> tuple, bool& is_new) {
        size_t slot;
        int32_t r = slots_.find(hash(tuple), [&](int32_t e) { return equal(table_.row(e), tuple); }, slot);
        is_new = r < 0;
        if (!is_new) return r;
        r = table_.push(tuple);
        slots_.put(slot, r, [&](int32_t e) { return hash(table_.row(e)); });
        return r;
    }
    size_t bytes() const { return table_.bytes() + slots_.bytes(); }

private:
    static uint64_t hash(std::span<const int32_t> tuple) {
        uint64_t h = 1;
        for (int32_t v : tuple) h = hash_step(h, v);
        return h;
    }
    static bool equal(std::span<const int32_t> a, std::span<const int32_t> b) {
        for (size_t i = 0; i < a.size(); ++i)
            if (a[i] != b[i]) return false;
        return true;
    }
    TupleTable table_;
    HashSlots slots_;
};

// The rows of a table by the values of some columns.
class TupleIndex {
public:
    TupleIndex(const TupleTable& table, std::vector<int32_t> columns) : table_(&table), columns_(std::move(columns)) {}

    const std::vector<int32_t>& columns() const { return columns_; }
    void insert(int32_t row) {
        ++n_rows_;
        size_t slot;
        uint64_t h = hash_of_row(row);
        int32_t bucket = slots_.find(h, [&](int32_t b) { return same_key(buckets_[b][0], row); }, slot);
        if (bucket < 0) {
            buckets_.emplace_back();
            bucket = static_cast<int32_t>(buckets_.size()) - 1;
            buckets_[bucket].push_back(row);
            slots_.put(slot, bucket, [&](int32_t b) { return hash_of_row(buckets_[b][0]); });
        } else {
            buckets_[bucket].push_back(row);
        }
    }
    // The number of the rows with these values in the columns' order, for rows(); -1 if there are none.
    int32_t find(std::span<const int32_t> key) const {
        uint64_t h = 1;
        for (int32_t v : key) h = hash_step(h, v);
        size_t slot;
        return slots_.find(
            h,
            [&](int32_t b) {
                auto row = table_->row(buckets_[b][0]);
                for (size_t i = 0; i < key.size(); ++i)
                    if (row[columns_[i]] != key[i]) return false;
                return true;
            },
            slot);
    }
    const std::vector<int32_t>& rows(int32_t bucket) const { return buckets_[bucket]; }
    size_t n_keys() const { return buckets_.size(); }
    size_t bytes() const {
        return slots_.bytes() + buckets_.capacity() * sizeof(buckets_[0]) + n_rows_ * sizeof(int32_t);
    }

private:
    uint64_t hash_of_row(int32_t r) const {
        uint64_t h = 1;
        auto row = table_->row(r);
        for (int32_t c : columns_) h = hash_step(h, row[c]);
        return h;
    }
    bool same_key(int32_t a, int32_t b) const {
        auto x = table_->row(a), y = table_->row(b);
        for (int32_t c : columns_)
            if (x[c] != y[c]) return false;
        return true;
    }
    const TupleTable* table_;
    std::vector<int32_t> columns_;
    std::vector<std::vector<int32_t>> buckets_;
    size_t n_rows_ = 0;
    HashSlots slots_;
};

}  // namespace palmette
