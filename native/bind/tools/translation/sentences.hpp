// Sentences of strings as numbers, and translations in flat arrays, for every search.
#pragma once
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bind/bind.hpp"
#include "bind/tools/lm/query.hpp"
#include "tools/translation/search/batch.hpp"

namespace translation_bind {

using u32 = std::uint32_t;
template <class T>
using Numpy = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Strings = std::vector<std::string>;
// What is known of a sentence: (begin, end, target words, exclusive) of fixed spans, forbidden phrases, the whole target.
using Fixed = std::tuple<u32, u32, Strings, bool>;
using Known = std::tuple<std::vector<Fixed>, std::vector<Strings>, std::optional<Strings>>;
using AllKnown = std::optional<std::vector<std::optional<Known>>>;
using Sentences = nb::typed<nb::list, nb::typed<nb::list, nb::str>>;
using Walls = std::optional<std::vector<nb::bytes>>;
// sentence_start, word_start, words, phrase_start, begin, end, pair, n_words, link_start, links, score, features, prefix,
// exact, more words.
using BatchTuple = std::tuple<Numpy<std::int64_t>, Numpy<std::int64_t>, Numpy<u32>, Numpy<std::int64_t>, Numpy<u32>, Numpy<u32>,
                              Numpy<u32>, Numpy<u32>, Numpy<std::int64_t>, Numpy<std::uint16_t>, Numpy<double>, Numpy<double>, Numpy<u32>,
                              Numpy<std::uint8_t>, Strings>;

inline std::string_view view_of(nb::handle word) {
    if (!PyUnicode_Check(word.ptr())) throw nb::type_error("a word is a string");
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(word.ptr(), &size);
    if (!data) throw nb::python_error();
    return {data, static_cast<std::size_t>(size)};
}

// Sentences as numbers. Target words that the table does not have are numbered on behind its own.
struct Prepared {
    std::vector<u32> words, copies, more_lm_ids;
    std::vector<std::uint8_t> walls;
    std::vector<palmette::SourceSentence> sentences;
    palmette::WordTable more{false};
};

// Reads sentences by the two vocabularies of a table, and those target words by the language model.
class SentenceReader {
public:
    SentenceReader(const palmette::WordTable& source, const palmette::WordTable& target, const NgramModel* lm,
                   const std::string& unknown)
        : source_(source), target_(target), lm_(lm), unknown_(unknown) {
        require(unknown == "copy" || unknown == "drop" || unknown == "mark", "unknown words are copied, dropped or marked");
        lm_ids_.resize(target.size());
        for (u32 word = 0; word < lm_ids_.size(); ++word) lm_ids_[word] = lm_id_of(target.word(word));
    }

    // What the language model calls the words of the table.
    const std::vector<u32>& lm_ids() const { return lm_ids_; }

    Prepared prepare(const Sentences& given, const AllKnown& known, const Walls& walls) const {
        Prepared made;
        std::vector<std::size_t> start{0};
        for (nb::handle sentence : given) {
            for (nb::handle word : nb::cast<nb::list>(sentence)) {
                const std::string_view text = view_of(word);
                made.words.push_back(number(source_, text));
                made.copies.push_back(unknown_ == "drop"   ? palmette::kNoWord
                                      : unknown_ == "copy" ? target_id(text, made)
                                                           : target_id("<unk>" + std::string(text) + "</unk>", made));
            }
            start.push_back(made.words.size());
        }
        const std::size_t n = start.size() - 1;
        require(!known || known->size() == n, "not as many known translations as sentences");
        require(!walls || walls->size() == n, "not as many walls as sentences");
        if (walls)
            for (std::size_t s = 0; s < n; ++s) {
                const nb::bytes& own = (*walls)[s];
                require(own.size() == start[s + 1] - start[s], "not one wall for each word");
                made.walls.insert(made.walls.end(), own.c_str(), own.c_str() + own.size());
            }
        made.sentences.resize(n);
        for (std::size_t s = 0; s < n; ++s) {
            palmette::SourceSentence& sentence = made.sentences[s];
            const std::size_t size = start[s + 1] - start[s];
            sentence.words = std::span<const u32>(made.words).subspan(start[s], size);
            sentence.copies = std::span<const u32>(made.copies).subspan(start[s], size);
            if (walls) sentence.walls = std::span<const std::uint8_t>(made.walls).subspan(start[s], size);
            if (known && (*known)[s]) add_known(*(*known)[s], sentence, made);
        }
        for (u32 word = 0; word < made.more.size(); ++word) made.more_lm_ids.push_back(lm_id_of(made.more.word(word)));
        for (palmette::SourceSentence& sentence : made.sentences) sentence.more_lm_ids = made.more_lm_ids;
        return made;
    }

private:
    static u32 number(const palmette::WordTable& words, std::string_view word) {
        const u32 id = words.find(word);
        return id || (words.size() && words.word(0) == word) ? id : palmette::kNoWord;
    }

    u32 lm_id_of(std::string_view word) const {
        using palmette::WordTable;
        const u32 id = lm_ ? lm_->words().find(word) : WordTable::unknown;
        return id == WordTable::begin || id == WordTable::end ? WordTable::unknown : id;
    }

    u32 target_id(std::string_view word, Prepared& made) const {
        const u32 id = number(target_, word);
        return id != palmette::kNoWord ? id : target_.size() + made.more.intern(word);
    }

    std::vector<u32> target_ids(const Strings& words, Prepared& made) const {
        std::vector<u32> ids;
        for (const std::string& word : words) ids.push_back(target_id(word, made));
        return ids;
    }

    void add_known(const Known& known, palmette::SourceSentence& sentence, Prepared& made) const {
        const auto& [fixed, forbidden, target] = known;
        for (const auto& [begin, end, words, exclusive] : fixed) {
            require(begin < end && end <= sentence.size(), "a fixed translation lies outside its sentence");
            sentence.given.push_back({begin, end, target_ids(words, made), exclusive});
        }
        for (const Strings& phrase : forbidden) sentence.forbidden.push_back(target_ids(phrase, made));
        sentence.forced = target.has_value();
        if (target) sentence.target = target_ids(*target, made);
    }

    const palmette::WordTable &source_, &target_;
    const NgramModel* lm_;
    std::string unknown_;
    std::vector<u32> lm_ids_;
};

inline Strings strings_of(const palmette::WordTable& table) {
    Strings words;
    for (u32 word = 0; word < table.size(); ++word) words.emplace_back(table.word(word));
    return words;
}

inline BatchTuple tuple_of(palmette::TranslationBatch&& batch, const palmette::WordTable& more) {
    return {numpy_of(std::move(batch.sentence_start)), numpy_of(std::move(batch.word_start)), numpy_of(std::move(batch.words)),
            numpy_of(std::move(batch.phrase_start)),   numpy_of(std::move(batch.begin)),      numpy_of(std::move(batch.end)),
            numpy_of(std::move(batch.pair)),           numpy_of(std::move(batch.n_words)),    numpy_of(std::move(batch.link_start)),
            numpy_of(std::move(batch.links)),          numpy_of(std::move(batch.score)),      numpy_of(std::move(batch.features)),
            numpy_of(std::move(batch.prefix)),         numpy_of(std::move(batch.exact)),      strings_of(more)};
}

inline void check_k(std::int64_t k, std::int64_t factor) {
    require(k > 0 && factor > 0 && k < (std::int64_t{1} << 31) / factor, "a number of translations out of range");
}

}  // namespace translation_bind
