// What the binding files share: how arrays cross the border, and one registration function per subject.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_errors.hpp"

namespace nb = nanobind;

// A contiguous one-dimensional array that comes in without a copy (bind it with .noconvert()).
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Array<T>& array) {
    return {array.data(), array.size()};
}

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// An array that may be None; a file that takes one includes nanobind/stl/optional.h.
template <class T>
using Maybe = std::optional<Array<T>>;

template <class T>
const T* data_of(const Maybe<T>& array) {
    return array ? array->data() : nullptr;
}

inline void check_boundaries(const Array<int64_t>& rows, size_t n, size_t last, const char* what) {
    const int64_t* r = rows.data();
    bool good = rows.size() == n + 1 && r[0] == 0 && static_cast<size_t>(r[n]) == last;
    for (size_t i = 0; good && i < n; ++i) good = r[i] <= r[i + 1];
    require(good, what);
}

inline void check_ids(const Array<int32_t>& ids, int64_t lowest, int64_t limit, const char* what) {
    bool good = true;
    for (size_t k = 0; k < ids.size(); ++k) good &= ids.data()[k] >= lowest && ids.data()[k] < limit;
    require(good, what);
}

// Hands a vector over to NumPy without copying it.
template <class T, class Allocator>
nb::ndarray<nb::numpy, T, nb::ndim<1>> numpy_of(std::vector<T, Allocator>&& values) {
    auto owned = std::make_unique<std::vector<T, Allocator>>(std::move(values));
    T* data = owned->data();
    size_t n = owned->size();
    nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T, Allocator>*>(p); });
    return {data, {n}, owner};
}

// A string of valid UTF-8; what is not comes out as \xff.
inline nb::str to_str(std::string_view text) {
    PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
    if (!made) throw nb::python_error();
    return nb::steal<nb::str>(made);
}

// Problems as (line, message).
using ProblemList = nb::typed<nb::list, nb::typed<nb::tuple, nb::int_, nb::str>>;
inline ProblemList problem_list(const palmette::Problems& problems) {
    nb::list list;
    for (const auto& [line, message] : problems.kept()) list.append(nb::make_tuple(line, to_str(message)));
    return nb::borrow<ProblemList>(list);
}

// Raises ImportError on a processor that lacks what the core was compiled for.
void check_processor();

void bind_interrupt(nb::module_& m);
void bind_hypergraph(nb::module_& m);
void bind_deduction(nb::module_& m);
void bind_conllu(nb::module_& m);
void bind_brackets(nb::module_& m);
void bind_problem(nb::module_& m);
void bind_memories(nb::module_& m);
void bind_python_problem(nb::module_& m);
void bind_chain_problem(nb::module_& m);
void bind_features(nb::module_& m);
void bind_packed_weights(nb::module_& m);
void bind_network(nb::module_& m);
void bind_chain(nb::module_& m);
void bind_states(nb::module_& m);
void bind_arcs(nb::module_& m);
void bind_mappings(nb::module_& m);
void bind_transition(nb::module_& m);
void bind_dependency_tree(nb::module_& m);
void bind_latent(nb::module_& m);
void bind_arborescence(nb::module_& m);
void bind_tree_kernels(nb::module_& m);
void bind_sequence_kernels(nb::module_& m);
void bind_anchored(nb::module_& m);
void bind_lexicalized(nb::module_& m);
void bind_chart(nb::module_& m);
void bind_lcfrs(nb::module_& m);
void bind_chart_sentence(nb::module_& m);
void bind_chart_search(nb::module_& m);
void bind_item_charts(nb::module_& m);
void bind_alignment(nb::module_& m);
void bind_count_shares(nb::module_& m);
void bind_alignment_sampler(nb::module_& m);
void bind_alignment_links(nb::module_& m);
void bind_alignment_phrases(nb::module_& m);
void bind_moses_tables(nb::module_& m);
void bind_phrase_table(nb::module_& m);
void bind_phrase_search(nb::module_& m);
void bind_rule_table(nb::module_& m);
void bind_rule_extraction(nb::module_& m);
void bind_rule_search(nb::module_& m);
void bind_ngram(nb::module_& m);
void bind_ngram_query(nb::module_& m);
void bind_distribution(nb::module_& m);
void bind_factored_problem(nb::module_& m);
void bind_ranking(nb::module_& m);
void bind_phrases(nb::module_& m);
void bind_classification(nb::module_& m);
void bind_tuning(nb::module_& m);
