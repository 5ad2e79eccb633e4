#include "structures/anchored/grammar.hpp"

namespace palmette {
namespace {

std::uint64_t key_of(std::span<const std::int32_t> symbols, std::uint64_t seed) {
    for (const std::int32_t s : symbols) seed = combine(seed, mix_bits(static_cast<std::uint64_t>(s) + 1));
    return mix_bits(seed) | 1;
}

}  // namespace

void AnchoredGrammar::index() {
    const std::size_t n = n_symbols();
    binary_at.assign(n + 1, 0);
    for (const Binary& r : binary) ++binary_at[static_cast<std::size_t>(r.parent) + 1];
    for (std::size_t s = 0; s < n; ++s) binary_at[s + 1] += binary_at[s];
    chains_above_at.assign(n + 1, 0);
    for (std::size_t c = 0; c < n_chains(); ++c) ++chains_above_at[static_cast<std::size_t>(chain(c).back()) + 1];
    for (std::size_t s = 0; s < n; ++s) chains_above_at[s + 1] += chains_above_at[s];
    chains_above.resize(n_chains());
    std::vector<std::int32_t> next(chains_above_at.begin(), chains_above_at.end() - 1);
    for (std::size_t c = 0; c < n_chains(); ++c)
        chains_above[static_cast<std::size_t>(next[static_cast<std::size_t>(chain(c).back())]++)] = static_cast<std::int32_t>(c);

    const auto keys = [&](std::span<const std::int32_t> symbols, std::uint64_t seed, std::vector<std::uint64_t>& fine, std::vector<std::uint64_t>& coarser) {
        std::vector<std::int32_t> other;
        for (const std::int32_t s : symbols) other.push_back(coarse[static_cast<std::size_t>(s)]);
        fine.push_back(key_of(symbols, seed));
        const std::uint64_t key = key_of(other, seed);
        coarser.push_back(key == fine.back() ? 0 : key);
    };
    for (auto* list : {&symbol_key, &rule_key, &chain_key, &coarse_symbol_key, &coarse_rule_key, &coarse_chain_key}) list->clear();
    for (std::size_t s = 0; s < n; ++s) {
        const std::int32_t one = static_cast<std::int32_t>(s);
        keys({&one, 1}, 11, symbol_key, coarse_symbol_key);
    }
    for (const Binary& r : binary) {
        const std::int32_t three[] = {r.parent, r.left, r.right};
        keys(three, 12, rule_key, coarse_rule_key);
    }
    for (std::size_t c = 0; c < n_chains(); ++c) keys(chain(c), 13, chain_key, coarse_chain_key);
}

}  // namespace palmette
