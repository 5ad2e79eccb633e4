// Strings, tagged sequences and sparse vectors in, kernels between them out.
#include "features/kernels/sequences.hpp"

#include <nanobind/stl/vector.h>

#include <string>

#include "base/hashing.hpp"
#include "bind/bind.hpp"
#include "features/kernels/fragment_table.hpp"
#include "features/kernels/sparse_set.hpp"
#include "features/kernels/tagged_supports.hpp"

using namespace palmette;

namespace {

using Numbers = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr uint64_t kWhole = 0x8CB92BA72F3D8DD7u;  // keys that are numbers

uint64_t hash_of(nb::handle text) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_Check(text.ptr()) ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
    if (!bytes) {
        PyErr_Clear();
        throw nb::value_error(
            ("symbols must be strings of valid Unicode; got " + std::string(nb::repr(text).c_str())).c_str());
    }
    return hash_string({bytes, static_cast<size_t>(size)});
}

// A character hashes as the string of this one character.
uint64_t hash_of(Py_UCS4 c) {
    char bytes[4];
    size_t n = 0;
    if (c < 0x80) {
        bytes[n++] = static_cast<char>(c);
    } else {
        if (c < 0x800) {
            bytes[n++] = static_cast<char>(0xC0 | c >> 6);
        } else {
            if (c < 0x10000) {
                bytes[n++] = static_cast<char>(0xE0 | c >> 12);
            } else {
                bytes[n++] = static_cast<char>(0xF0 | c >> 18);
                bytes[n++] = static_cast<char>(0x80 | (c >> 12 & 0x3F));
            }
            bytes[n++] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
        }
        bytes[n++] = static_cast<char>(0x80 | (c & 0x3F));
    }
    return hash_string({bytes, n});
}

void push_all(SequenceSet& set, size_t column, nb::handle sequence) {
    PyObject* p = sequence.ptr();
    if (PyUnicode_Check(p)) {
        const Py_ssize_t n = PyUnicode_GetLength(p);
        for (Py_ssize_t i = 0; i < n; ++i) set.push(column, hash_of(PyUnicode_ReadChar(p, i)));
    } else {
        for (nb::handle symbol : sequence) set.push(column, hash_of(symbol));
    }
}

// columns: for every column the sequences.
void fill_sequences(SequenceSet* made, std::vector<nb::typed<nb::list, nb::object>> columns) {
    if (columns.empty()) throw nb::value_error("sequences need at least one column");
    SequenceSet set(columns.size());
    const size_t n = columns[0].size();
    for (size_t i = 0; i < n; ++i) {
        for (size_t c = 0; c < columns.size(); ++c) {
            if (columns[c].size() != n) throw nb::value_error("every column must have all sequences");
            const nb::object sequence = columns[c][i];
            push_all(set, c, sequence);
        }
        if (!set.end_sequence()) throw nb::value_error("the columns of a sequence must be equally long");
    }
    new (made) SequenceSet(std::move(set));
}

uint64_t key_of(nb::handle name) {
    if (PyLong_Check(name.ptr())) {
        const long long number = PyLong_AsLongLong(name.ptr());
        if (number == -1 && PyErr_Occurred()) throw nb::python_error();
        return combine(kWhole, static_cast<uint64_t>(number));
    }
    return hash_of(name);
}

// names and values: of every vector, one after the other.
void fill_named(SparseSet* made, nb::typed<nb::list, nb::object> names, const Array<double>& values, const Array<int64_t>& offsets) {
    if (values.size() != nb::len(names)) throw nb::value_error("every name needs a value");
    SparseSet set;
    size_t at = 0;
    for (size_t i = 1; i < offsets.size(); ++i) {
        for (; at < static_cast<size_t>(offsets.data()[i]); ++at) {
            if (at >= values.size()) throw nb::value_error("the offsets do not cut the names into vectors");
            set.push(key_of(nb::handle(names[at])), values.data()[at]);
        }
        set.end_vector();
    }
    new (made) SparseSet(std::move(set));
}

SparseSet of_columns(const Array<int64_t>& columns, const Array<double>& values, const Array<int64_t>& offsets) {
    if (values.size() != columns.size()) throw nb::value_error("every column needs a value");
    SparseSet set;
    size_t at = 0;
    for (size_t i = 1; i < offsets.size(); ++i) {
        for (; at < static_cast<size_t>(offsets.data()[i]); ++at) {
            if (at >= values.size()) throw nb::value_error("the offsets do not cut the columns into vectors");
            set.push(combine(kWhole, static_cast<uint64_t>(columns.data()[at])), values.data()[at]);
        }
        set.end_vector();
    }
    return set;
}

SparseSet ngrams_of(const SequenceSet& sequences, size_t least, size_t most) {
    if (least < 1 || most < least) throw nb::value_error("n-grams have at least one symbol");
    nb::gil_scoped_release release;
    return ngrams(sequences, least, most);
}

void check_shape(const Matrix& out, size_t rows, size_t columns) {
    if (out.shape(0) != rows || out.shape(1) != columns) throw nb::value_error("the matrix has the wrong shape");
}

template <class Kernel>
void gram_of(const SequenceSet& a, const SequenceSet& b, const Kernel& kernel, size_t columns, int jobs, Matrix out) {
    if (a.n_columns() != columns || b.n_columns() != columns)
        throw nb::value_error("the sequences were prepared for another kernel");
    check_shape(out, a.size(), b.size());
    nb::gil_scoped_release release;
    sequence_gram(a, b, kernel, jobs, out.data());
}

template <class Kernel>
Numbers diagonal_of(const SequenceSet& a, const Kernel& kernel, size_t columns, int jobs) {
    if (a.n_columns() != columns) throw nb::value_error("the sequences were prepared for another kernel");
    std::vector<double> values(a.size());
    {
        nb::gil_scoped_release release;
        sequence_diagonal(a, kernel, jobs, values.data());
    }
    return numpy_of(std::move(values));
}

GappySubsequences gappy(size_t n, double decay) {
    if (n < 1 || n > 4096) throw nb::value_error("n must lie between 1 and 4096");
    return {n, decay};
}

// longest: 0 for fragments of any length.
TaggedFragments tagged(double decay, std::vector<double> weights, size_t longest) {
    if (weights.size() != 1 && weights.size() != 2) throw nb::value_error("there must be one or two weights");
    return {decay, std::move(weights), longest ? longest : TaggedFragments::kAll};
}

template <class Supports>
void check_columns(const Supports& supports, const SequenceSet& sequences) {
    if (sequences.n_columns() != supports.n_columns())
        throw nb::value_error("the sequences were prepared for another kernel");
}

template <class Supports>
void add_supports(Supports& supports, const SequenceSet& sequences, const Array<int64_t>& which,
                  const Array<double>& alphas) {
    check_columns(supports, sequences);
    if (which.size() != alphas.size()) throw nb::value_error("supports need one weight each");
    for (int64_t i : span_of(which))
        if (static_cast<size_t>(i) >= sequences.size()) throw nb::index_error("there is no such sequence");
    nb::gil_scoped_release release;  // it may have to wait for threads that score
    supports.add(sequences, span_of(which), span_of(alphas));
}

template <class Supports>
Numbers score_supports(const Supports& supports, const SequenceSet& sequences, int jobs) {
    check_columns(supports, sequences);
    std::vector<double> values(sequences.size());
    {
        nb::gil_scoped_release release;
        supports.score(sequences, jobs, values.data());
    }
    return numpy_of(std::move(values));
}

// For the fragments of a sequence that the table has: where they begin, the columns of their states, what they add.
using Amounts = nb::typed<nb::list, nb::typed<nb::tuple, size_t, nb::bytes, double>>;

Amounts amounts_of(const FragmentTable& table, const SequenceSet& sequences, size_t i) {
    check_columns(table, sequences);
    if (i >= sequences.size()) throw nb::index_error("there is no such sequence");
    Amounts found;
    for (const FragmentTable::Amount& amount : table.amounts(sequences, i)) {
        const nb::bytes kinds(reinterpret_cast<const char*>(amount.kinds), amount.length);
        found.append(nb::make_tuple(amount.begin, kinds, amount.value));
    }
    return found;
}

template <class Supports>
nb::class_<Supports> bind_supports(nb::module_& m, const char* name) {
    return nb::class_<Supports>(m, name)
        .def(
            "__init__",
            [](Supports* made, double decay, std::vector<double> weights, size_t longest) {
                new (made) Supports(tagged(decay, std::move(weights), longest));
            },
            nb::arg("decay"), nb::arg("weights"), nb::arg("longest"))
        .def("__len__", &Supports::size)
        .def("add", &add_supports<Supports>, nb::arg("sequences"), nb::arg("which").noconvert(), nb::arg("alphas").noconvert())
        .def("score", &score_supports<Supports>, nb::arg("sequences"), nb::arg("jobs"));
}

Mismatches mismatches(size_t n, std::vector<double> shared) {
    if (n < 1) throw nb::value_error("n must be at least 1");
    return {n, std::move(shared)};
}

}  // namespace

void bind_sequence_kernels(nb::module_& m) {
    nb::class_<SequenceSet>(m, "SequenceSet")
        .def("__init__", &fill_sequences, nb::arg("columns"))
        .def("__len__", &SequenceSet::size);
    m.def(
        "gappy_gram",
        [](const SequenceSet& a, const SequenceSet& b, size_t n, double decay, int jobs, Matrix out) {
            gram_of(a, b, gappy(n, decay), 1, jobs, out);
        },
        nb::arg("a"), nb::arg("b"), nb::arg("n"), nb::arg("decay"), nb::arg("jobs"), nb::arg("out").noconvert());
    m.def(
        "gappy_diagonal",
        [](const SequenceSet& a, size_t n, double decay, int jobs) { return diagonal_of(a, gappy(n, decay), 1, jobs); },
        nb::arg("a"), nb::arg("n"), nb::arg("decay"), nb::arg("jobs"));
    m.def(
        "mismatch_gram",
        [](const SequenceSet& a, const SequenceSet& b, size_t n, std::vector<double> shared, int jobs, Matrix out) {
            gram_of(a, b, mismatches(n, std::move(shared)), 1, jobs, out);
        },
        nb::arg("a"), nb::arg("b"), nb::arg("n"), nb::arg("shared"), nb::arg("jobs"), nb::arg("out").noconvert());
    m.def(
        "mismatch_diagonal",
        [](const SequenceSet& a, size_t n, std::vector<double> shared, int jobs) {
            return diagonal_of(a, mismatches(n, std::move(shared)), 1, jobs);
        },
        nb::arg("a"), nb::arg("n"), nb::arg("shared"), nb::arg("jobs"));
    m.def(
        "tagged_gram",
        [](const SequenceSet& a, const SequenceSet& b, double decay, std::vector<double> weights, size_t longest, int jobs,
           Matrix out) {
            const size_t columns = weights.size() + 1;
            gram_of(a, b, tagged(decay, std::move(weights), longest), columns, jobs, out);
        },
        nb::arg("a"), nb::arg("b"), nb::arg("decay"), nb::arg("weights"), nb::arg("longest"), nb::arg("jobs"),
        nb::arg("out").noconvert());
    m.def(
        "tagged_diagonal",
        [](const SequenceSet& a, double decay, std::vector<double> weights, size_t longest, int jobs) {
            const size_t columns = weights.size() + 1;
            return diagonal_of(a, tagged(decay, std::move(weights), longest), columns, jobs);
        },
        nb::arg("a"), nb::arg("decay"), nb::arg("weights"), nb::arg("longest"), nb::arg("jobs"));

    bind_supports<TaggedSupports>(m, "TaggedSupports");
    bind_supports<FragmentTable>(m, "FragmentTable").def("amounts", &amounts_of, nb::arg("sequences"), nb::arg("i"));

    nb::class_<SparseSet>(m, "SparseSet")
        .def("__init__", &fill_named, nb::arg("names"), nb::arg("values").noconvert(), nb::arg("offsets").noconvert())
        .def_static("of_columns", &of_columns, nb::arg("columns").noconvert(), nb::arg("values").noconvert(),
                    nb::arg("offsets").noconvert())
        .def_static("of_ngrams", &ngrams_of, nb::arg("sequences"), nb::arg("least"), nb::arg("most"))
        .def("__len__", &SparseSet::size);
    m.def(
        "sparse_gram",
        [](const SparseSet& a, const SparseSet& b, int jobs, Matrix out) {
            check_shape(out, a.size(), b.size());
            nb::gil_scoped_release release;
            sparse_gram(a, b, jobs, out.data());
        },
        nb::arg("a"), nb::arg("b"), nb::arg("jobs"), nb::arg("out").noconvert());
    m.def(
        "sparse_distances",
        [](const SparseSet& a, const SparseSet& b, int jobs, Matrix out) {
            check_shape(out, a.size(), b.size());
            nb::gil_scoped_release release;
            sparse_distances(a, b, jobs, out.data());
        },
        nb::arg("a"), nb::arg("b"), nb::arg("jobs"), nb::arg("out").noconvert());
    m.def(
        "sparse_diagonal",
        [](const SparseSet& a) {
            std::vector<double> values(a.size());
            sparse_diagonal(a, values.data());
            return numpy_of(std::move(values));
        },
        nb::arg("a"));
    nb::class_<SparseSum>(m, "SparseSum")
        .def(nb::init<>())
        .def("__len__", &SparseSum::size)
        .def(
            "add",
            [](SparseSum& sum, const SparseSet& vectors, const Array<int64_t>& which, const Array<double>& alphas) {
                if (alphas.size() != which.size()) throw nb::value_error("vectors need one weight each");
                for (int64_t i : span_of(which))
                    if (static_cast<size_t>(i) >= vectors.size()) throw nb::index_error("there is no such vector");
                for (size_t k = 0; k < which.size(); ++k)
                    sum.add(vectors, static_cast<size_t>(which.data()[k]), alphas.data()[k]);
            },
            nb::arg("vectors"), nb::arg("which").noconvert(), nb::arg("alphas").noconvert())
        .def(
            "score",
            [](const SparseSum& sum, const SparseSet& vectors) {
                std::vector<double> values(vectors.size());
                sum.score(vectors, values.data());
                return numpy_of(std::move(values));
            },
            nb::arg("vectors"));
}
