// Trees in, kernels between them out. Trees are walked once, without recursion; no object is kept.
#include "features/kernels/trees.hpp"

#include <stdexcept>
#include <string>

#include "bind/bind.hpp"
#include "bind/formats/tree_builder.hpp"
#include "features/kernels/support_forest.hpp"
#include "features/kernels/tree_embedding.hpp"

using namespace palmette;

namespace {

using Numbers = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

uint64_t hash_of(nb::handle text) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_Check(text.ptr()) ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
    if (!bytes) {
        PyErr_Clear();
        throw nb::value_error(("labels and words of trees must be strings of valid Unicode; got " +
                               std::string(nb::repr(text).c_str())).c_str());
    }
    return hash_string({bytes, static_cast<size_t>(size)});
}

class Walk {
public:
    explicit Walk(nb::tuple classes) : classes_(classes) {}

    // Symbols and numbers of children in postfix order.
    void operator()(nb::handle tree) {
        symbols.clear();
        arities.clear();
        todo_.clear();
        todo_.push_back(nb::borrow(tree));
        while (!todo_.empty()) {
            const nb::object item = std::move(todo_.back());
            todo_.pop_back();
            if (is(item, classes_.leaf)) {
                symbols.push_back(hash_of(item.attr(word_)));
                arities.push_back(0);
            } else if (is(item, classes_.tree)) {
                const nb::object children = item.attr(children_);
                const size_t k = nb::len(children);
                if (k == 0 || k > 0x7FFFFFFF) throw nb::value_error("a node of a tree has no children");
                symbols.push_back(hash_of(item.attr(label_)));
                arities.push_back(static_cast<uint32_t>(k));
                for (size_t i = 0; i < k; ++i) todo_.push_back(children[i]);
            } else {
                throw nb::type_error(("a tree kernel takes Trees; got " + std::string(nb::repr(item.type()).c_str())).c_str());
            }
        }
        std::reverse(symbols.begin(), symbols.end());
        std::reverse(arities.begin(), arities.end());
    }

    std::vector<uint64_t> symbols;
    std::vector<uint32_t> arities;

private:
    static bool is(nb::handle item, nb::handle type) {
        if (item.type().is(type)) return true;
        const int answer = PyObject_IsInstance(item.ptr(), type.ptr());
        if (answer < 0) throw nb::python_error();
        return answer;
    }

    TreeClasses classes_;
    nb::str word_{"word"}, label_{"label"}, children_{"children"};
    std::vector<nb::object> todo_;
};

Fragments checked_kind(int kind) {
    if (kind < 0 || kind > 2) throw nb::value_error("kind must be 0 (subset), 1 (complete) or 2 (partial)");
    return static_cast<Fragments>(kind);
}

void fill(TreeSet* made, nb::typed<nb::list, nb::object> trees, nb::typed<nb::tuple, nb::type_object, nb::ellipsis> classes,
          int kind, bool words) {
    Walk walk(classes);
    TreeSet set(checked_kind(kind), words);
    for (nb::handle tree : trees) {
        walk(tree);
        if (!set.add(walk.symbols, walk.arities)) throw nb::value_error("a tree changed while it was read");
    }
    new (made) TreeSet(std::move(set));
}

void check_same(const TreeSet& a, const TreeSet& b) {
    if (a.kind() != b.kind() || a.words() != b.words())
        throw nb::value_error("the trees were prepared for different kernels");
}

void check_tree(const TreeSet& trees, size_t tree) {
    if (tree >= trees.size()) throw nb::index_error("there is no such tree in the set");
}

void gram(const TreeSet& a, const TreeSet& b, double decay, double mu, int jobs, Matrix out) {
    check_same(a, b);
    if (out.shape(0) != a.size() || out.shape(1) != b.size()) throw nb::value_error("the matrix has the wrong shape");
    nb::gil_scoped_release release;
    tree_gram(a, b, {decay, mu}, jobs, out.data());
}

Numbers diagonal(const TreeSet& trees, double decay, double mu, int jobs) {
    std::vector<double> values(trees.size());
    {
        nb::gil_scoped_release release;
        tree_diagonal(trees, {decay, mu}, jobs, values.data());
    }
    return numpy_of(std::move(values));
}

Numbers pairs(const TreeSet& a, const Array<int64_t>& i, const TreeSet& b, const Array<int64_t>& j, double decay,
              double mu) {
    check_same(a, b);
    if (i.size() != j.size()) throw nb::value_error("pairs need as many first trees as second ones");
    for (size_t k = 0; k < i.size(); ++k) {
        check_tree(a, static_cast<size_t>(i.data()[k]));
        check_tree(b, static_cast<size_t>(j.data()[k]));
    }
    std::vector<double> values(i.size());
    {
        nb::gil_scoped_release release;
        TreePairs pair(a, b, {decay, mu});
        for (size_t k = 0; k < i.size(); ++k)
            values[k] = pair(static_cast<size_t>(i.data()[k]), static_cast<size_t>(j.data()[k]));
    }
    return numpy_of(std::move(values));
}

void add_support(SupportForest& forest, const TreeSet& trees, const Array<int64_t>& which, const Array<double>& alphas) {
    check_same(forest.trees(), trees);
    if (which.size() != alphas.size()) throw nb::value_error("supports need one weight each");
    for (size_t k = 0; k < which.size(); ++k) check_tree(trees, static_cast<size_t>(which.data()[k]));
    nb::gil_scoped_release release;  // it may have to wait for threads that score
    for (size_t k = 0; k < which.size(); ++k) forest.add(trees, static_cast<size_t>(which.data()[k]), alphas.data()[k]);
}

Numbers score(const SupportForest& forest, const TreeSet& trees, int jobs) {
    check_same(forest.trees(), trees);
    std::vector<double> values(trees.size());
    {
        nb::gil_scoped_release release;
        forest.score(trees, jobs, values.data());
    }
    return numpy_of(std::move(values));
}

void embed(const TreeSet& trees, double decay, uint64_t seed, int jobs, Matrix out) {
    if (trees.kind() == Fragments::partial) throw nb::value_error("partial trees have no embedding");
    if (out.shape(0) != trees.size() || out.shape(1) == 0) throw nb::value_error("the matrix has the wrong shape");
    nb::gil_scoped_release release;
    embed_trees(trees, decay, seed, jobs, out.shape(1), out.data());
}

void make_forest(SupportForest* made, int kind, bool words, double decay, double mu) {
    new (made) SupportForest(checked_kind(kind), words, {decay, mu});
}

}  // namespace

void bind_tree_kernels(nb::module_& m) {
    nb::class_<TreeSet>(m, "TreeSet")
        .def("__init__", &fill, nb::arg("trees"), nb::arg("classes"), nb::arg("kind"), nb::arg("words"))
        .def("__len__", &TreeSet::size)
        .def_prop_ro("n_subtrees", &TreeSet::n_subtrees)
        .def_prop_ro("n_classes", &TreeSet::n_classes);
    m.def("tree_gram", &gram, nb::arg("a"), nb::arg("b"), nb::arg("decay"), nb::arg("mu"), nb::arg("jobs"),
          nb::arg("out").noconvert());
    m.def("tree_diagonal", &diagonal, nb::arg("trees"), nb::arg("decay"), nb::arg("mu"), nb::arg("jobs"));
    m.def("tree_pairs", &pairs, nb::arg("a"), nb::arg("i").noconvert(), nb::arg("b"), nb::arg("j").noconvert(),
          nb::arg("decay"), nb::arg("mu"));
    m.def("embed_trees", &embed, nb::arg("trees"), nb::arg("decay"), nb::arg("seed"), nb::arg("jobs"),
          nb::arg("out").noconvert());
    nb::class_<SupportForest>(m, "SupportForest")
        .def("__init__", &make_forest, nb::arg("kind"), nb::arg("words"), nb::arg("decay"), nb::arg("mu"))
        .def_prop_ro("n_subtrees", &SupportForest::n_subtrees)
        .def("add", &add_support, nb::arg("trees"), nb::arg("which").noconvert(), nb::arg("alphas").noconvert())
        .def("score", &score, nb::arg("trees"), nb::arg("jobs"));
}
