// The lexicalised parser over many sentences, a few at a time.
#pragma once
#include "tools/constituency/lexicalized/parser.hpp"

namespace palmette {

// A bracket that a sentence's tree must have, or must not. label: -1 stands for any.
struct SpanRule {
    int32_t sentence, start, end, label;
    bool required;
};

struct LexicalInput {
    TokenTypes types;
    std::span<const int64_t> offsets;  // of the sentences in the tokens
    std::span<const int32_t> tokens;   // token types
    std::span<const int32_t> tags;     // given tags, -1: none; or empty
    std::span<const SpanRule> rules;   // by sentence
    size_t size() const { return offsets.size() - 1; }
};

struct LexicalAnswer {
    bool parsed = false, tightened = false, too_large = false;
    double log_z = 0.0;
    std::vector<std::vector<TreeNode>> trees;
    std::vector<LexicalBracket> brackets;
};

enum class LexicalWish { viterbi, minimum_risk, kbest, brackets };

std::vector<LexicalAnswer> parse_all(const LexicalizedModel& model, const CoarseModel& coarse, const LexicalInput& input, const LexicalOptions& options, LexicalWish wish, size_t k, double offset,
                                     int n_jobs);

}  // namespace palmette
