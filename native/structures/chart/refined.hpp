// A fine grammar seen from a coarse one: its symbols and rules grouped by the coarse ones that they project to.
//
// Where a coarse pass has left few items, a fine pass walks over coarse items and coarse rules, and touches only the
// fine rules below those whose three items are alive.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "structures/chart/grammar.hpp"

namespace palmette {

class RefinedGrammar {
public:
    struct Rule {
        std::uint16_t parent, left, right, unused;  // ranks among the fine symbols of their coarse ones
        float log_weight, weight;
    };
    struct Group {
        std::int32_t left, right;  // coarse
        std::uint32_t begin, end;  // its fine rules
    };
    // Unary rules of one coarse parent and child whose parents are equally far above the lowest symbols; groups come
    // in the order in which they close a cell. Components with cycles are not among them.
    struct UnaryGroup {
        std::int32_t parent, child;
        std::uint32_t begin, end;
    };
    struct Unary {
        std::int32_t parent, child;  // ranks
        float log_weight, weight;
    };
    // What a pair of coarse children makes: the coarse parent, and the group of fine rules.
    struct Made {
        std::int32_t parent;
        std::uint32_t begin, end;
    };
    struct Place {
        std::int32_t coarse;
        std::int32_t rank;
    };

    // coarse_of: the coarse symbol of every fine one. std::invalid_argument where they do not fit. The grammar must
    // outlive this.
    RefinedGrammar(const ChartGrammar& fine, std::int32_t coarse_symbols, std::span<const std::int32_t> coarse_of);

    const ChartGrammar& fine() const { return *fine_; }
    std::size_t coarse_symbols() const { return sizes_.size(); }
    std::size_t size(std::size_t coarse) const { return sizes_[coarse]; }  // how many fine symbols it stands for
    Place place(std::size_t fine) const { return places_[fine]; }
    std::span<const Group> groups_of(std::size_t coarse_parent) const {
        return {groups_.data() + group_begin_[coarse_parent], group_begin_[coarse_parent + 1] - group_begin_[coarse_parent]};
    }
    std::span<const Made> made_of(std::size_t left, std::size_t right) const {
        const std::size_t pair = left * sizes_.size() + right;
        return {made_.data() + made_begin_[pair], made_begin_[pair + 1] - made_begin_[pair]};
    }
    const std::vector<UnaryGroup>& unary_groups() const { return unary_groups_; }
    const Unary* unary_rules() const { return unary_rules_.data(); }
    const Rule* rules() const { return rules_.data(); }
    std::span<const std::int32_t> members(std::size_t coarse) const {
        return {members_.data() + member_begin_[coarse], sizes_[coarse]};
    }

private:
    void index_pairs();
    void index_unary();

    const ChartGrammar* fine_;
    std::vector<std::uint32_t> sizes_, group_begin_, member_begin_;
    std::vector<std::int32_t> members_;
    std::vector<Place> places_;
    std::vector<Group> groups_;
    std::vector<Rule> rules_;
    std::vector<std::uint32_t> made_begin_;
    std::vector<Made> made_;
    std::vector<UnaryGroup> unary_groups_;
    std::vector<Unary> unary_rules_;
};

}  // namespace palmette
