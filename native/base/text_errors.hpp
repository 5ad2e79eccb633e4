// What is wrong with a text, by line: the first hundred problems in words, and how many there are.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace palmette {

struct Problem {
    std::int64_t line;
    std::string message;
};

class Problems {
public:
    static constexpr std::int64_t most_kept = 100;

    bool empty() const { return count_ == 0; }
    std::int64_t count() const { return count_; }
    std::int64_t last_line() const { return last_line_; }
    const std::vector<Problem>& kept() const { return kept_; }

    void report(std::int64_t line, std::string message) {
        if (count_++ < most_kept) kept_.push_back({line, std::move(message)});
        last_line_ = line;
    }

    // Takes the last report back, for a better one.
    void retract() {
        if (count_-- <= most_kept) kept_.pop_back();
    }

private:
    std::vector<Problem> kept_;
    std::int64_t count_ = 0, last_line_ = 0;
};

}  // namespace palmette
