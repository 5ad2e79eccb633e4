#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/read_number.hpp"
#include "base/text.hpp"
#include "tools/lm/arpa.hpp"
#include "tools/lm/query.hpp"
#include "tools/lm/text.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// The n-grams of one order as they are in the file, and those that are added.
struct Section {
    int n = 0;
    Ids words;  // n of each
    RawVector<float> probs, backoffs;
    std::vector<std::int64_t> lines;

    std::size_t size() const { return probs.size(); }
    const u32* gram(std::size_t i) const { return words.data() + i * n; }
    int compare(const u32* a, const u32* b) const {
        for (int k = 0; k < n; ++k)
            if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
        return 0;
    }

    void add(const u32* gram, float prob, float backoff, std::int64_t line) {
        words.insert(words.end(), gram, gram + n);
        probs.push_back(prob);
        backoffs.push_back(backoff);
        lines.push_back(line);
    }

    void sort() {
        Ids order(size());
        std::iota(order.begin(), order.end(), 0u);
        const auto before = [&](u32 a, u32 b) {
            const int c = compare(gram(a), gram(b));
            return c ? c < 0 : a < b;
        };
        if (std::is_sorted(order.begin(), order.end(), before)) return;
        std::sort(order.begin(), order.end(), before);
        Section sorted;
        sorted.n = n;
        for (const u32 i : order) sorted.add(gram(i), probs[i], backoffs[i], lines[i]);
        *this = std::move(sorted);
    }

    bool contains(const u32* wanted) const {
        std::size_t low = 0, high = size();
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (compare(gram(middle), wanted) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        return low < size() && compare(gram(low), wanted) == 0;
    }
};

class Reader {
public:
    explicit Reader(std::string_view text) : lines_(text) {}

    Arpa read() {
        head();
        for (std::size_t n = 1; n <= counts_.size(); ++n) section(static_cast<int>(n));
        if (trimmed(line_) != "\\end\\")
            fail("expected \\end\\ after the last n-gram, not " + quoted(line_) + "; was the file cut off?");
        return build();
    }

private:
    [[noreturn]] void fail(const std::string& message) const { throw ArpaError(lines_.number(), message); }

    static std::string_view trimmed(std::string_view line) {
        while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
        while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
        return line;
    }

    // The next line that is not empty.
    bool next() {
        while (lines_.next(line_))
            if (!trimmed(line_).empty()) return true;
        line_ = {};
        return false;
    }

    void head() {
        if (!next()) fail("an empty file, not an ARPA file");
        if (line_.starts_with("mmap lm")) fail("a binary file of KenLM, not ARPA text: give the file it was made of");
        if (line_.starts_with("blmt") || line_.starts_with("Qblmt") || line_.starts_with("iARPA"))
            fail("a file of IRSTLM, not plain ARPA text: compile-lm --text=yes makes it one");
        if (trimmed(line_) != "\\data\\")
            fail("expected \\data\\, not " + quoted(line_) + "; is this text rather than a model?");
        while (next() && line_.starts_with("ngram ")) {
            const std::string_view rest = trimmed(line_.substr(6));
            const std::size_t equals = rest.find('=');
            u64 order = 0, count = 0;
            if (equals == std::string_view::npos || !number(trimmed(rest.substr(0, equals)), order) ||
                !number(trimmed(rest.substr(equals + 1)), count))
                fail("expected ngram ORDER=NUMBER, not " + quoted(line_));
            if (order != counts_.size() + 1) fail("expected the number of " + std::to_string(counts_.size() + 1) + "-grams, not of " + std::to_string(order) + "-grams");
            if (order > kMaxOrder) fail("n-grams of more than " + std::to_string(kMaxOrder) + " words");
            if (count >= 0xFFFFFFF0u) fail("more than four thousand million n-grams of an order");
            counts_.push_back(count);
        }
        if (counts_.empty()) fail("expected ngram 1=NUMBER, not " + quoted(line_));
    }

    static bool number(std::string_view text, u64& value) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc{} && end == text.data() + text.size() && !text.empty();
    }

    float value(std::string_view text, const char* what) {
        if (text.starts_with('+')) text.remove_prefix(1);
        float result = 0;
        const auto [end, error] = read_number(text.data(), text.data() + text.size(), result);
        if ((error != std::errc{} && error != std::errc::result_out_of_range) || end != text.data() + text.size() || text.empty() || std::isnan(result))
            fail(std::string("expected ") + what + ", not " + quoted(text));
        return result <= -99 ? -std::numeric_limits<float>::infinity() : result;
    }

    std::string_view field() {
        while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
        std::size_t n = 0;
        while (n < rest_.size() && !is_blank(rest_[n])) ++n;
        const std::string_view found = rest_.substr(0, n);
        rest_.remove_prefix(n);
        return found;
    }

    void section(int n) {
        std::string title = "\\";
        title += std::to_string(n) + "-grams:";
        if (trimmed(line_) != title) fail("expected " + title + ", not " + quoted(line_));
        Section section;
        section.n = n;
        std::array<u32, kMaxOrder> gram;
        const bool last = static_cast<std::size_t>(n) == counts_.size();
        while (next() && line_.front() != '\\') {
            rest_ = line_;
            const float prob = value(field(), "the logarithm of a probability");
            if (prob > 0) fail("a probability above one: its logarithm " + quoted(line_.substr(0, line_.find('\t'))) + " is positive");
            for (int k = 0; k < n; ++k) {
                std::string_view word = field();
                if (word == "<UNK>") word = "<unk>";
                if (word.empty()) fail("expected " + std::to_string(n) + " words, found " + std::to_string(k));
                if (first_invalid_utf8(word) != std::string_view::npos) fail("a word that is not UTF-8");
                if (n == 1) {
                    gram[0] = words_.intern(word);
                    if (gram[0] < seen_.size() && seen_[gram[0]]) fail("the word " + quoted(word) + " appears here a second time");
                    seen_.resize(words_.size());
                    seen_[gram[0]] = 1;
                } else {
                    gram[k] = words_.find(word);
                    if (gram[k] == WordTable::unknown && word != "<unk>")
                        fail("the word " + quoted(word) + " is not among the 1-grams");
                }
            }
            float backoff = 0;
            const std::string_view more = field();
            if (!more.empty()) {
                if (last) fail("a backoff, or a word too many, after an n-gram of the highest order: " + quoted(more));
                backoff = value(more, "the logarithm of a backoff");
                if (std::isinf(backoff) && backoff > 0) fail("an infinite backoff");
            }
            if (!field().empty()) fail("more than a probability, " + std::to_string(n) + " words and a backoff");
            section.add(gram.data(), prob, backoff, lines_.number());
        }
        if (section.size() != counts_[n - 1])
            fail("found " + std::to_string(section.size()) + " " + std::to_string(n) + "-grams, but the head of the file says " +
                 std::to_string(counts_[n - 1]));
        sections_.push_back(std::move(section));
    }

    // N-grams that others need: the prefix and the suffix of each must be there.
    u64 close() {
        u64 added = 0;
        for (std::size_t level = sections_.size(); --level > 1;) {
            Section &longer = sections_[level], &shorter = sections_[level - 1];
            longer.sort();
            shorter.sort();
            Section missing;
            missing.n = shorter.n;
            for (std::size_t i = 0; i < longer.size(); ++i)
                for (const u32* part : {longer.gram(i), longer.gram(i) + 1})
                    if (!shorter.contains(part)) missing.add(part, std::nanf(""), 0, longer.lines[i]);
            missing.sort();
            for (std::size_t i = 0; i < missing.size(); ++i)
                if (!i || missing.compare(missing.gram(i - 1), missing.gram(i))) {
                    shorter.add(missing.gram(i), missing.probs[i], 0, missing.lines[i]);
                    ++added;
                }
        }
        return added;
    }

    Arpa build() {
        Arpa arpa;
        Section& unigrams = sections_[0];
        seen_.resize(words_.size());
        arpa.without_unknown = !seen_[WordTable::unknown];
        arpa.added = close();
        std::vector<NgramLevel>& levels = arpa.model.levels;
        levels.resize(sections_.size());
        const bool single = sections_.size() == 1;
        levels[0].probs.assign(words_.size(), -std::numeric_limits<float>::infinity());
        if (!single) levels[0].backoffs.assign(words_.size(), 0.0f);
        for (std::size_t i = 0; i < unigrams.size(); ++i) {
            levels[0].probs[*unigrams.gram(i)] = unigrams.probs[i];
            if (!single) levels[0].backoffs[*unigrams.gram(i)] = unigrams.backoffs[i];
        }
        for (std::size_t level = 1; level < sections_.size(); ++level) place(levels, static_cast<int>(level));
        arpa.words = std::move(words_);
        return arpa;
    }

    void place(std::vector<NgramLevel>& levels, int level) {
        Section& section = sections_[level];
        section.sort();
        NgramLevel &above = levels[level - 1], &here = levels[level];
        const u32 parents = static_cast<u32>(above.probs.size());
        here.probs = section.probs;
        if (level + 1 < static_cast<int>(levels.size())) here.backoffs = section.backoffs;
        here.words.resize(section.size());
        above.starts.assign(parents + 1, 0);
        // Both levels are sorted: the parents come by in the order of their children.
        u32 parent = 0;
        for (std::size_t i = 0; i < section.size(); ++i) {
            const u32* gram = section.gram(i);
            if (i && !section.compare(section.gram(i - 1), gram))
                throw ArpaError(section.lines[i], "an n-gram that is in line " + std::to_string(section.lines[i - 1]) + " already");
            if (level == 1) {
                parent = gram[0];
            } else {
                const Section& shorter = sections_[level - 1];
                while (shorter.compare(shorter.gram(parent), gram)) ++parent;
            }
            here.words[i] = gram[level];
            ++above.starts[parent + 1];
        }
        std::partial_sum(above.starts.begin(), above.starts.end(), above.starts.begin());
        // What was added has the probability that it had before.
        BackoffModel lower;
        lower.levels.swap(levels);
        for (std::size_t i = 0; i < section.size(); ++i)
            if (std::isnan(lower.levels[level].probs[i])) lower.levels[level].probs[i] = backed_off(lower, section.gram(i), level + 1);
        levels.swap(lower.levels);
    }

    // log p(last | the words before) with histories shorter than the n-gram.
    static float backed_off(const BackoffModel& model, const u32* gram, int n) {
        float sum = 0;
        for (int skip = 0; skip < n; ++skip) {
            u32 node = gram[skip];
            int at = skip;
            while (at + 2 < n && (node = model.child(at - skip, node, gram[at + 1])) != BackoffModel::none) ++at;
            if (skip + 1 == n) return sum + model.levels[0].probs[node];
            if (node == BackoffModel::none) continue;
            const int level = n - 2 - skip;
            if (skip) {
                const u32 whole = model.child(level, node, gram[n - 1]);
                if (whole != BackoffModel::none) return sum + model.levels[level + 1].probs[whole];
            }
            sum += model.levels[level].backoffs[node];
        }
        return sum;
    }

    Lines lines_;
    std::string_view line_, rest_;
    std::vector<u64> counts_;
    std::vector<Section> sections_;
    WordTable words_;
    std::vector<std::uint8_t> seen_;
};

}  // namespace

Arpa read_arpa(std::string_view text) { return Reader(text).read(); }

}  // namespace palmette
