// Learners in dual form and memories: arrays in, coefficients and votes out.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>
#include <stdexcept>

#include "bind/bind.hpp"
#include "learning/euclidean_memory.hpp"
#include "learning/gram_rows.hpp"
#include "learning/information_gain.hpp"
#include "learning/kernel_perceptron.hpp"
#include "learning/kernel_svm.hpp"
#include "learning/symbolic_memory.hpp"

using namespace palmette;

namespace {

using Numbers = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Whole = nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>;
using Small = nb::ndarray<nb::numpy, int32_t, nb::ndim<1>>;
using Found = std::tuple<Numbers, Whole>;
using Solved = std::tuple<Numbers, double, double, double, size_t, bool>;
using Updates = std::tuple<Whole, Small, Small, Whole>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// What one thread sets to end the work of others.
struct Stop {
    std::atomic<bool> is_set{false};
};

// Rows with what keeps them alive: the matrix, or the function that makes them.
struct Rows {
    nb::object owner;
    GramRows rows;
};

void rows_of_matrix(Rows* made, Matrix matrix) {
    if (matrix.shape(0) != matrix.shape(1)) throw nb::value_error("a Gram matrix is square");
    if (matrix.shape(0) > 0xFFFFFFFE) throw nb::value_error("there are too many examples");
    new (made) Rows{nb::cast(matrix), GramRows(matrix.shape(0), matrix.data())};
}

std::unique_ptr<Rows> rows_on_demand(size_t n, nb::object make, size_t most_bytes) {
    if (!PyCallable_Check(make.ptr())) throw nb::type_error("rows are made by a function");
    if (n > 0xFFFFFFFE) throw nb::value_error("there are too many examples");
    const nb::handle function = make;  // the owner keeps it
    const auto fill = [n, function](size_t i, double* out) {
        nb::gil_scoped_acquire acquire;
        const auto row = nb::cast<Array<double>>(function(i), false);
        if (row.size() != n) throw nb::value_error("a row of the Gram matrix has the wrong length");
        std::copy_n(row.data(), n, out);
    };
    return std::make_unique<Rows>(Rows{make, GramRows(n, fill, most_bytes)});
}

template <class T>
void check_below(std::span<const T> indices, size_t limit, const char* what) {
    for (const T i : indices)
        if (i < 0 || static_cast<size_t>(i) >= limit) throw nb::index_error(what);
}

Solved solve(Rows& rows, const Array<double>& diagonal, const Array<int64_t>& items, const Array<double>& signs, const Array<double>& bounds,
                double tolerance, size_t most_steps, bool shrinking, const Stop& stop) {
    if (diagonal.size() != rows.rows.size()) throw nb::value_error("the diagonal has the wrong length");
    if (signs.size() != items.size() || bounds.size() != items.size()) throw nb::value_error("every item needs a sign and a bound");
    check_below(span_of(items), rows.rows.size(), "there is no such row in the Gram matrix");
    for (size_t i = 0; i < items.size(); ++i)
        if (std::abs(signs.data()[i]) != 1 || !(bounds.data()[i] >= 0)) throw nb::value_error("signs are 1 or -1, and bounds are not negative");
    SvmSolution found;
    {
        nb::gil_scoped_release release;
        found = solve_svm(rows.rows, span_of(diagonal), span_of(items), span_of(signs), span_of(bounds), {tolerance, most_steps, shrinking, &stop.is_set});
    }
    return {numpy_of(std::move(found.beta)), found.bias, found.objective, found.gap, found.steps, found.indefinite};
}

void make_perceptron(DualPerceptron* made, size_t n, size_t n_classes, size_t budget) {
    if (n > 0xFFFFFFFE || n_classes < 1 || (n && n_classes > (size_t{1} << 40) / n)) throw nb::value_error("there are too many examples or classes");
    new (made) DualPerceptron(n, n_classes, budget);
}

size_t perceptron_pass(DualPerceptron& perceptron, Rows& rows, const Array<int64_t>& order, const Array<int32_t>& labels) {
    if (rows.rows.size() != perceptron.size() || labels.size() != perceptron.size()) throw nb::value_error("there must be one label for every row");
    check_below(span_of(order), perceptron.size(), "there is no such example");
    check_below(span_of(labels), perceptron.n_classes(), "there is no such class");
    nb::gil_scoped_release release;
    return perceptron.pass(rows.rows, span_of(order), span_of(labels));
}

Updates perceptron_updates(const DualPerceptron& perceptron) {
    std::vector<int64_t> items, times;
    std::vector<int32_t> right, wrong;
    for (const DualUpdate& u : perceptron.updates()) {
        items.push_back(u.item);
        right.push_back(static_cast<int32_t>(u.right));
        wrong.push_back(static_cast<int32_t>(u.wrong));
        times.push_back(static_cast<int64_t>(u.time));
    }
    return {numpy_of(std::move(items)), numpy_of(std::move(right)), numpy_of(std::move(wrong)), numpy_of(std::move(times))};
}

Numbers votes_of_dual(Matrix gram, const Array<int64_t>& columns, const Array<int32_t>& right, const Array<int32_t>& wrong, const Array<int64_t>& times, int64_t end,
                      size_t n_classes) {
    const size_t n = columns.size();
    if (right.size() != n || wrong.size() != n || times.size() != n) throw nb::value_error("updates need a column, two classes and a time each");
    check_below(span_of(columns), gram.shape(1), "there is no such support");
    check_below(span_of(right), n_classes, "there is no such class");
    check_below(span_of(wrong), n_classes, "there is no such class");
    std::vector<double> votes(gram.shape(0) * n_classes);
    {
        nb::gil_scoped_release release;
        if (n_classes)
            vote_dual(gram.data(), gram.shape(0), gram.shape(1), span_of(columns), span_of(right), span_of(wrong), span_of(times), end, n_classes, votes.data());
    }
    return numpy_of(std::move(votes));
}

Voting checked_voting(int voting) {
    if (voting < 0 || voting > 3) throw nb::value_error("there is no such way to vote");
    return static_cast<Voting>(voting);
}

Found neighbour_arrays(std::span<const Neighbour> found) {
    std::vector<double> distances;
    std::vector<int64_t> examples;
    for (const Neighbour& n : found) {
        distances.push_back(n.distance);
        examples.push_back(n.example);
    }
    return {numpy_of(std::move(distances)), numpy_of(std::move(examples))};
}

void make_symbolic(SymbolicMemory* made, const std::vector<int>& metrics, const Array<double>& weights, const Array<int64_t>& n_values,
                   const std::vector<Array<double>>& tables, const Array<double>& unseen, Integers values, const Array<int32_t>& classes) {
    const size_t f = metrics.size(), n_classes = unseen.size();
    if (weights.size() != f || n_values.size() != f || tables.size() != f || values.shape(1) != f) throw nb::value_error("every column needs a metric, a weight and a table");
    if (values.shape(0) != classes.size() || classes.size() > 0xFFFFFFFE) throw nb::value_error("every example needs a class");
    check_below(span_of(classes), n_classes, "there is no such class");
    std::vector<SymbolicColumn> columns;
    for (size_t i = 0; i < f; ++i) {
        if (metrics[i] < 0 || metrics[i] > 2) throw nb::value_error("there is no such metric");
        const auto metric = static_cast<Metric>(metrics[i]);
        if (n_values.data()[i] < 0 || !(weights.data()[i] >= 0) || !std::isfinite(weights.data()[i])) throw nb::value_error("weights and numbers of values are not negative");
        const size_t n = static_cast<size_t>(n_values.data()[i]);
        const size_t size = metric == Metric::overlap ? 0 : metric == Metric::numeric ? n : n * n_classes;
        if (tables[i].size() != size) throw nb::value_error("a table has the wrong size");
        for (const double t : span_of(tables[i]))
            if (!std::isfinite(t)) throw nb::value_error("a table holds a value that is not a finite number");
        columns.push_back({metric, weights.data()[i], n, {tables[i].data(), tables[i].data() + size}, {unseen.data(), unseen.data() + n_classes}});
    }
    for (size_t k = 0; k < values.size(); ++k)
        if (values.data()[k] < 0 || static_cast<size_t>(values.data()[k]) >= columns[k % f].n_values) throw nb::index_error("there is no such value in its column");
    nb::gil_scoped_release release;
    new (made) SymbolicMemory(std::move(columns), n_classes, {values.data(), values.size()}, span_of(classes));
}

void check_queries(const SymbolicMemory& memory, Integers values, Matrix numbers) {
    const size_t f = memory.n_columns();
    if (values.shape(1) != f || numbers.shape(1) != f || numbers.shape(0) != values.shape(0)) throw nb::value_error("queries have the columns of the memory");
    for (size_t k = 0; k < values.size(); ++k)
        if (values.data()[k] >= 0 && static_cast<size_t>(values.data()[k]) >= memory.n_values(k % f)) throw nb::index_error("there is no such value in its column");
}

Numbers symbolic_votes(const SymbolicMemory& memory, Integers values, Matrix numbers, size_t k, bool distances, int voting, double decay, int jobs) {
    check_queries(memory, values, numbers);
    const Voting way = checked_voting(voting);
    std::vector<double> votes(values.shape(0) * memory.n_classes());
    {
        nb::gil_scoped_release release;
        memory.votes({values.data(), values.size()}, {numbers.data(), numbers.size()}, values.shape(0), k, distances, way, decay, jobs, votes.data());
    }
    return numpy_of(std::move(votes));
}

Found symbolic_neighbours(const SymbolicMemory& memory, Integers values, Matrix numbers, size_t k, bool distances) {
    check_queries(memory, values, numbers);
    if (values.shape(0) != 1) throw nb::value_error("neighbours are those of one query");
    SymbolicMemory::Room room;
    return neighbour_arrays(memory.search({values.data(), numbers.data()}, k, distances, room));
}

void make_euclidean(EuclideanMemory* made, Matrix rows, const Array<double>& along, const Array<int32_t>& classes, size_t n_classes) {
    if (rows.shape(0) != classes.size() || classes.size() > 0xFFFFFFFE) throw nb::value_error("every row needs a class");
    if (along.size() != rows.shape(1)) throw nb::value_error("the direction is as wide as the rows");
    check_below(span_of(classes), n_classes, "there is no such class");
    for (size_t k = 0; k < rows.size(); ++k)
        if (!std::isfinite(rows.data()[k])) throw nb::value_error("rows hold finite numbers");
    nb::gil_scoped_release release;
    new (made) EuclideanMemory({rows.data(), rows.size()}, rows.shape(1), span_of(along), n_classes, span_of(classes));
}

Numbers euclidean_votes(const EuclideanMemory& memory, Matrix queries, size_t k, bool distances, int voting, double decay, int jobs) {
    if (queries.shape(1) != memory.width()) throw nb::value_error("queries are as wide as the rows of the memory");
    const Voting way = checked_voting(voting);
    std::vector<double> votes(queries.shape(0) * memory.n_classes());
    {
        nb::gil_scoped_release release;
        memory.votes({queries.data(), queries.size()}, queries.shape(0), k, distances, way, decay, jobs, votes.data());
    }
    return numpy_of(std::move(votes));
}

Found euclidean_neighbours(const EuclideanMemory& memory, Matrix query, size_t k, bool distances) {
    if (query.shape(0) != 1 || query.shape(1) != memory.width()) throw nb::value_error("neighbours are those of one query");
    Nearest room;
    return neighbour_arrays(memory.search(query.data(), k, distances, room));
}

std::tuple<double, double> gain_of(const Array<int32_t>& values, const Array<int32_t>& classes) {
    if (values.size() != classes.size()) throw nb::value_error("every value needs a class");
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (size_t i = 0; i < values.size(); ++i) {
        if (classes.data()[i] < 0 || classes.data()[i] > 0xFFFFFF) throw nb::index_error("there is no such class");
        pairs.emplace_back(static_cast<uint32_t>(values.data()[i]), static_cast<uint32_t>(classes.data()[i]));
    }
    const InformationGain found = information_gain(pairs);
    return {found.gain, found.split};
}

}  // namespace

void bind_classification(nb::module_& m) {
    nb::class_<Rows>(m, "GramRows")
        .def("__init__", &rows_of_matrix, nb::arg("matrix").noconvert())
        .def_static("on_demand", &rows_on_demand, nb::arg("n"), nb::arg("make"), nb::arg("most_bytes"))
        .def("__len__", [](const Rows& rows) { return rows.rows.size(); })
        .def_prop_ro("made", [](const Rows& rows) { return rows.rows.made(); });
    nb::class_<Stop>(m, "Stop").def(nb::init<>()).def("set", [](Stop& stop) { stop.is_set = true; });
    m.def("solve_svm", &solve, nb::arg("rows"), nb::arg("diagonal").noconvert(), nb::arg("items").noconvert(), nb::arg("signs").noconvert(),
          nb::arg("bounds").noconvert(), nb::arg("tolerance"), nb::arg("most_steps"), nb::arg("shrinking"), nb::arg("stop"));
    nb::class_<DualPerceptron>(m, "DualPerceptron")
        .def("__init__", &make_perceptron, nb::arg("n"), nb::arg("n_classes"), nb::arg("budget"))
        .def_prop_ro("seen", &DualPerceptron::seen)
        .def("run", &perceptron_pass, nb::arg("rows"), nb::arg("order").noconvert(), nb::arg("labels").noconvert())
        .def("alpha", [](const DualPerceptron& p) { return numpy_of(std::vector<double>(p.alpha())); })
        .def("mean", [](const DualPerceptron& p) { return numpy_of(p.mean()); })
        .def("updates", &perceptron_updates);
    m.def("vote_dual", &votes_of_dual, nb::arg("gram").noconvert(), nb::arg("columns").noconvert(), nb::arg("right").noconvert(), nb::arg("wrong").noconvert(),
          nb::arg("times").noconvert(), nb::arg("end"), nb::arg("n_classes"));
    nb::class_<SymbolicMemory>(m, "SymbolicMemory")
        .def("__init__", &make_symbolic, nb::arg("metrics"), nb::arg("weights").noconvert(), nb::arg("n_values").noconvert(), nb::arg("tables"),
             nb::arg("unseen").noconvert(), nb::arg("values").noconvert(), nb::arg("classes").noconvert())
        .def("__len__", &SymbolicMemory::size)
        .def_prop_ro("n_distinct", &SymbolicMemory::n_distinct)
        .def("votes", &symbolic_votes, nb::arg("values").noconvert(), nb::arg("numbers").noconvert(), nb::arg("k"), nb::arg("distances"), nb::arg("voting"),
             nb::arg("decay"), nb::arg("jobs"))
        .def("neighbours", &symbolic_neighbours, nb::arg("values").noconvert(), nb::arg("numbers").noconvert(), nb::arg("k"), nb::arg("distances"));
    nb::class_<EuclideanMemory>(m, "EuclideanMemory")
        .def("__init__", &make_euclidean, nb::arg("rows").noconvert(), nb::arg("along").noconvert(), nb::arg("classes").noconvert(), nb::arg("n_classes"))
        .def("__len__", &EuclideanMemory::size)
        .def("votes", &euclidean_votes, nb::arg("queries").noconvert(), nb::arg("k"), nb::arg("distances"), nb::arg("voting"), nb::arg("decay"), nb::arg("jobs"))
        .def("neighbours", &euclidean_neighbours, nb::arg("query").noconvert(), nb::arg("k"), nb::arg("distances"));
    m.def("information_gain", &gain_of, nb::arg("values").noconvert(), nb::arg("classes").noconvert());
}
