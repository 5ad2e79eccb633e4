#include "tools/lm/text.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <stdexcept>

#include "base/crew.hpp"
#include "base/text.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Tokens = RawVector<u32>;

// What is wrong with a text, and in which of its lines; line 0 if nothing is.
struct Fault {
    u64 line = 0;
    std::string message;
};

struct NewWord {
    std::string_view word;
    u64 hash;
};

// A word looks for its number a few words after it was read, when the line of memory that it needs has come.
class LineReader {
public:
    // Words that were not in the table are added to `news`.
    LineReader(WordTable& words, Tokens& tokens, NgramText::Marks marks, std::vector<NewWord>* news = nullptr)
        : words_(words), tokens_(tokens), marks_(marks), news_(news) {}

    void read(std::string_view text) {
        const char *at = text.data(), *const end = at + text.size();
        while (at < end) {
            later({nullptr, WordTable::begin, 0});
            for (;;) {
                while (at < end && *at != '\n' && is_blank(*at)) ++at;
                if (at == end || *at == '\n') break;
                const char* first = at;
                while (at < end && !is_blank(*at)) ++at;
                const std::string_view word(first, at - first);
                const u64 hash = hash_string(word);
                words_.prefetch(hash);
                later({first, word.size(), hash});
            }
            if (at < end) ++at;
            later({nullptr, WordTable::end, 0});
        }
        for (u64 i = 0; i < kLater; ++i) later({nullptr, kNothing, 0});
    }

    u64 n_lines() const { return n_lines_; }
    const Fault& fault() const { return fault_; }

private:
    static constexpr u64 kLater = 16, kNothing = ~u64{0};

    // A word and its hash; or, without letters, a token.
    struct Item {
        const char* first = nullptr;
        u64 size = kNothing, hash = 0;
    };

    void later(const Item& item) {
        Item& oldest = items_[n_items_++ % kLater];
        take(oldest);
        oldest = item;
    }

    void take(const Item& item) {
        if (item.first) {
            const std::string_view word(item.first, item.size);
            const u32 known = words_.size(), id = words_.intern(word, item.hash);
            if (id == known) {
                check(word);
                if (news_) news_->push_back({word, item.hash});
            }
            if (id == WordTable::begin || id == WordTable::end) {
                if (marks_ == NgramText::Marks::fail) fail("<s> and </s> mark the ends of a line and cannot be inside it");
                return;
            }
            tokens_.push_back(id);
        } else if (item.size != kNothing) {
            n_lines_ += item.size == WordTable::begin;
            tokens_.push_back(static_cast<u32>(item.size));
        }
    }

    void check(std::string_view word) {
        const std::size_t place = first_invalid_utf8(word);
        if (place == word.npos) return;
        char hex[8];
        std::snprintf(hex, sizeof hex, "0x%02x", static_cast<unsigned char>(word[place]));
        fail(std::string("byte ") + hex + " is not UTF-8; errors='replace' puts U+FFFD in its place");
    }

    void fail(std::string message) {
        if (!fault_.line) fault_ = {n_lines_, std::move(message)};
    }

    WordTable& words_;
    Tokens& tokens_;
    NgramText::Marks marks_;
    std::vector<NewWord>* news_;
    std::array<Item, kLater> items_{};
    u64 n_items_ = 0, n_lines_ = 0;
    Fault fault_;
};

std::vector<std::string_view> cut(std::string_view lines, std::size_t wanted) {
    std::vector<std::string_view> parts;
    for (std::size_t i = 0; i < wanted && !lines.empty(); ++i) {
        std::size_t size = lines.size() / (wanted - i);
        const std::size_t newline = i + 1 == wanted ? lines.npos : lines.find('\n', size);
        size = newline == lines.npos ? lines.size() : newline + 1;
        parts.push_back(lines.substr(0, size));
        lines.remove_prefix(size);
    }
    return parts;
}

struct Part {
    Tokens tokens;
    std::vector<NewWord> news;  // to its reader, whose numbers the tokens are
    std::size_t reader = 0;
    u64 n_lines = 0;
    Fault fault;
    std::atomic<bool> done{false};
};

void check(const Fault& fault, u64 n_lines) {
    if (fault.line) throw std::invalid_argument("line " + std::to_string(n_lines + fault.line) + ": " + fault.message);
}

void check_size(u64 n) {
    if (n >= 0xFFFFFFF0u) throw std::length_error("more than four thousand million words in one text");
}

}  // namespace

void NgramText::add(std::string_view lines, Marks marks, int n_jobs) {
    constexpr std::size_t kPart = 1 << 16;  // bytes: small, so that no thread waits long for another
    if (n_jobs < 2 || lines.size() < kPart) {
        check_size(tokens.size() + 2 * u64{lines.size()});  // a line may be a byte, which is two tokens
        LineReader reader(words, tokens, marks);
        reader.read(lines);
        check(reader.fault(), n_lines);
        n_lines += reader.n_lines();
        return;
    }
    Crew crew(n_jobs);
    const std::vector<std::string_view> texts = cut(lines, lines.size() / kPart + crew.size());
    std::vector<Part> parts(texts.size());
    if (readers_.size() < crew.size()) readers_.resize(crew.size());
    // A thread takes parts in their order, and so meets a word where it appears first of all, or after that: by the
    // parts, and in them by the words that were new to their thread, words come in the order of first appearance.
    // While one thread numbers the words of parts that are done, the others read on.
    std::size_t numbered = 0;
    std::mutex numbering;
    const auto number_words = [&] {
        for (; numbered < parts.size() && parts[numbered].done.load(std::memory_order_acquire); ++numbered) {
            const std::vector<NewWord>& news = parts[numbered].news;
            std::vector<u32>& number = readers_[parts[numbered].reader].number;
            for (const NewWord& one : news) words.prefetch(one.hash);
            for (const NewWord& one : news) number.push_back(words.intern(one.word, one.hash));
        }
    };
    crew(parts.size(), [&](std::size_t i, std::size_t thread) {
        Part& part = parts[i];
        part.reader = thread;
        part.tokens.reserve(texts[i].size() / 4);
        LineReader reader(readers_[thread].words, part.tokens, marks, &part.news);
        reader.read(texts[i]);
        part.n_lines = reader.n_lines();
        part.fault = reader.fault();
        part.done.store(true, std::memory_order_release);
        if (std::unique_lock lock(numbering, std::try_to_lock); lock) number_words();
    });
    number_words();
    std::vector<std::size_t> first(parts.size() + 1, tokens.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        check(parts[i].fault, n_lines);
        n_lines += parts[i].n_lines;
        first[i + 1] = first[i] + parts[i].tokens.size();
    }
    check_size(first.back());
    if (tokens.capacity() < first.back()) tokens.reserve(2 * first.back());
    tokens.resize(first.back());
    crew(parts.size(), [&](std::size_t i, std::size_t) {
        const u32* number = readers_[parts[i].reader].number.data();
        u32* out = tokens.data() + first[i];
        for (const u32 id : parts[i].tokens) *out++ = number[id];
        parts[i].tokens = {};
    });
}

void NgramText::expect(u64 n_bytes) {
    constexpr u64 kMost = u64{1} << 28, kBytes = 4;  // of a token, white space and marks included
    tokens.reserve(tokens.size() + std::min(n_bytes / kBytes, kMost));
}

std::vector<u32> NgramText::word_counts() const {
    std::vector<u32> counts(words.size(), 0);
    for (const u32 word : tokens) ++counts[word];
    return counts;
}

void NgramText::keep(const std::vector<std::uint8_t>& kept) {
    WordTable smaller;
    std::vector<u32> number(words.size(), WordTable::unknown);
    for (u32 id = 0; id < words.size(); ++id)
        if (id <= WordTable::end || kept[id]) number[id] = smaller.intern(words.word(id));
    for (u32& token : tokens) token = number[token];
    words = std::move(smaller);
    readers_.clear();
}

void NgramText::number_as(const WordTable& all) {
    std::vector<u32> number(words.size());
    for (u32 id = 0; id < words.size(); ++id) {
        if (!all.contains(words.word(id))) throw std::invalid_argument("a word of the text is missing in the vocabulary");
        number[id] = all.find(words.word(id));
    }
    for (u32& token : tokens) token = number[token];
    words = all;
    readers_.clear();
}

}  // namespace palmette
