// Heads of a corpus in, the shapes of its dependency graphs out.
#include "structures/arborescence/dependency_tree.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>

#include "bind/bind.hpp"

using namespace palmette::dependency;

namespace {

template <class T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

void check(const Array<int32_t>& heads, const Array<int64_t>& offsets) {
    const size_t n = offsets.size();
    bool good = n > 0 && offsets.data()[0] == 0 && static_cast<size_t>(offsets.data()[n - 1]) == heads.size();
    for (size_t i = 0; good && i + 1 < n; ++i) good = offsets.data()[i] <= offsets.data()[i + 1];
    if (!good) throw nb::value_error("the offsets do not cut the heads into sentences");
    for (size_t i = 0; i + 1 < n; ++i)
        if (offsets.data()[i + 1] - offsets.data()[i] > std::numeric_limits<int32_t>::max() - 2)
            throw nb::value_error("a sentence has more words than an int32 can count");
}

std::tuple<Vector<uint8_t>, Vector<int32_t>, Vector<int32_t>, Vector<uint8_t>> tree_shapes(Array<int32_t> heads,
                                                                                               Array<int64_t> offsets) {
    check(heads, offsets);
    const size_t n = offsets.size() - 1;
    std::vector<uint8_t> flags(n), crossed(heads.size());
    std::vector<int32_t> gaps(n), depths(n);
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < n; ++i) {
            const auto first = static_cast<size_t>(offsets.data()[i]), end = static_cast<size_t>(offsets.data()[i + 1]);
            const Shape shape = shape_of(span_of(heads).subspan(first, end - first), crossed.data() + first);
            flags[i] = shape.flags;
            gaps[i] = shape.gap_degree;
            depths[i] = shape.depth;
        }
    }
    return {numpy_of(std::move(flags)), numpy_of(std::move(gaps)), numpy_of(std::move(depths)), numpy_of(std::move(crossed))};
}

std::tuple<Vector<int32_t>, Vector<int32_t>, int64_t> projectivise_trees(Array<int32_t> heads, Array<int64_t> offsets) {
    check(heads, offsets);
    std::vector<int32_t> lifted(heads.data(), heads.data() + heads.size()), lifts(heads.size());
    int64_t wrong = -1;
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i + 1 < offsets.size() && wrong < 0; ++i) {
            const auto first = static_cast<size_t>(offsets.data()[i]), end = static_cast<size_t>(offsets.data()[i + 1]);
            if (!projectivise(std::span(lifted).subspan(first, end - first), lifts.data() + first))
                wrong = static_cast<int64_t>(i);
        }
    }
    return {numpy_of(std::move(lifted)), numpy_of(std::move(lifts)), wrong};
}

}  // namespace

void bind_dependency_tree(nb::module_& m) {
    m.def("tree_shapes", &tree_shapes, nb::arg("heads").noconvert(), nb::arg("offsets").noconvert(),
          "Per sentence the flags, the gap degree and the depth of its graph; per word whether its arc is not projective.");
    m.def("projectivise_trees", &projectivise_trees, nb::arg("heads").noconvert(), nb::arg("offsets").noconvert(),
          "The heads of projective trees, how often each word was lifted, and the first sentence that is not a tree, or -1.");
}
