// The rules that a feature-rich parser chooses from: a small binarized grammar without weights.
//
// Above every span is at most one chain of unary rules, learnt as a whole (NP → QP → CD), so no tree is endless and
// every binarized tree has exactly one derivation. The root symbol is above the whole sentence alone, by a rule of its
// own (`roots`: what may be below it) or by a binary one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hashing.hpp"

namespace palmette {

struct AnchoredGrammar {
    enum Kind : std::uint8_t { phrase, made, tag };
    struct Binary {
        std::int32_t parent, left, right;
    };

    std::int32_t root = 0;
    std::vector<std::uint8_t> kinds;        // of symbols
    std::vector<std::int32_t> coarse;       // the symbol whose features it shares; itself, for most
    std::vector<Binary> binary;             // sorted by parent
    std::vector<std::int32_t> chain_rows;   // chain c is chain_symbols[chain_rows[c]] … from the top to its lowest symbol
    std::vector<std::int32_t> chain_symbols;
    std::vector<std::int32_t> roots;        // symbols

    // Made by `index`.
    std::vector<std::int32_t> binary_at;                       // by parent: its first rule
    std::vector<std::int32_t> chains_above_at, chains_above;   // by the lowest symbol
    std::vector<std::uint64_t> symbol_key, rule_key, chain_key;
    std::vector<std::uint64_t> coarse_symbol_key, coarse_rule_key, coarse_chain_key;  // 0: as the finer one

    std::size_t n_symbols() const { return kinds.size(); }
    std::size_t n_chains() const { return chain_rows.size() - 1; }
    std::span<const std::int32_t> chain(std::size_t c) const {
        return {chain_symbols.data() + chain_rows[c], static_cast<std::size_t>(chain_rows[c + 1] - chain_rows[c])};
    }
    void index();
};

}  // namespace palmette
