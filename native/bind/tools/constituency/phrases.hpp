// Trees of phrases on their way from the parsers to Python.
#pragma once
#include <nanobind/stl/tuple.h>

#include "bind/bind.hpp"
#include "tools/constituency/phrases/forest.hpp"

// The trees of every sentence, and how many words each has.
struct BoundPhrases {
    std::vector<palmette::PhraseForest> forests;
    std::vector<int32_t> lengths;
};

// Trees of sentences: those of sentence i are trees[i] … trees[i + 1] - 1, and tree t is add(forest, n, t). The lock of the
// interpreter is released meanwhile. lengths: words of every sentence. rows: offsets into something of `size`, one more than
// there are trees.
template <class Add>
BoundPhrases phrases_of(const Array<int64_t>& lengths, const Array<int64_t>& trees, const Array<int64_t>& rows, size_t size, Add&& add) {
    const auto offsets = [](const Array<int64_t>& a, size_t last) {
        bool good = a.size() > 0 && a.data()[0] == 0 && static_cast<size_t>(a.data()[a.size() - 1]) == last;
        for (size_t i = 0; good && i + 1 < a.size(); ++i) good = a.data()[i] <= a.data()[i + 1];
        if (!good) throw std::invalid_argument("offsets must go from 0 to the end, and ascend");
    };
    offsets(rows, size);
    offsets(trees, rows.size() - 1);
    if (trees.size() != lengths.size() + 1) throw std::invalid_argument("there must be one number of words per sentence");
    BoundPhrases made;
    for (size_t i = 0; i < lengths.size(); ++i) {
        if (lengths.data()[i] < 0 || lengths.data()[i] > (1 << 24)) throw std::invalid_argument("a sentence is too long");
        made.lengths.push_back(static_cast<int32_t>(lengths.data()[i]));
    }
    made.forests.resize(lengths.size());
    nb::gil_scoped_release release;
    for (size_t i = 0; i < lengths.size(); ++i)
        for (int64_t t = trees.data()[i]; t < trees.data()[i + 1]; ++t) add(made.forests[i], made.lengths[i], static_cast<size_t>(t));
    return made;
}
