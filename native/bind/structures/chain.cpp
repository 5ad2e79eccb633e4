#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>

#include "bind/bind.hpp"
#include "structures/chain/batch.hpp"
#include "structures/chain/expectations.hpp"
#include "structures/chain/kbest.hpp"
#include "structures/chain/search.hpp"

using namespace palmette;

namespace {

using Numbers = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Labels = nb::ndarray<nb::numpy, int32_t, nb::ndim<1>>;
using Counts = nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>;

template <class T>
using Optional = std::optional<Array<T>>;

template <class Work>
auto unlocked(Work work) {
    nb::gil_scoped_release release;
    return work();
}

// The arrays of a batch, held, and checked for what the loops rely on.
template <class Real>
class HeldBatch {
public:
    HeldBatch(size_t labels, int order, Array<int64_t> offsets, Array<Real> unary, Optional<uint8_t> allowed,
              Optional<Real> first, Optional<Real> last, Array<Real> begin, Array<Real> table, bool per_position)
        : offsets_(offsets), unary_(unary), begin_(begin), table_(table), allowed_(allowed), first_(first), last_(last) {
        if (labels < 1 || order < 0 || order > 3) refuse("labels and order");
        size_t rows = 1, begins = 0;
        for (int i = 0; i < order; ++i) {
            rows *= labels;
            if (rows > (size_t{1} << 31) / labels) refuse("labels for this order");
            if (i + 1 < order) begins += rows * labels;
        }
        auto bounds = span_of(offsets);
        if (bounds.empty() || bounds[0] != 0) refuse("offsets");
        for (size_t k = 1; k < bounds.size(); ++k)
            if (bounds[k] < bounds[k - 1]) refuse("offsets");
        tokens_ = static_cast<size_t>(bounds.back());
        if (unary.size() % labels != 0 || unary.size() / labels != tokens_) refuse("unary scores");
        if (allowed && allowed->size() != unary.size()) refuse("allowed labels");
        if (first && first->size() != labels) refuse("first scores");
        if (last && last->size() != labels) refuse("last scores");
        if (begin.size() != begins) refuse("begin tables");
        const size_t block = order ? rows * labels : 0;
        if (per_position && block && tokens_ > (size_t{1} << 48) / block) refuse("transition tables");
        if (table.size() != (per_position ? block * tokens_ : block)) refuse("transition tables");
        rows_ = rows;
        batch_ = {labels, order, bounds, unary.data(), allowed ? allowed->data() : nullptr,
                  first ? first->data() : nullptr, last ? last->data() : nullptr, begin.data(), table.data(),
                  per_position};
    }

    std::tuple<Labels, Numbers, Counts> best(int jobs) const {
        std::vector<int32_t> y(tokens_);
        std::vector<double> score(batch_.sentences());
        std::vector<int64_t> touched(batch_.sentences());
        unlocked([&] { best_of(batch_, jobs, y.data(), score.data(), touched.data()); });
        return {numpy_of(std::move(y)), numpy_of(std::move(score)), numpy_of(std::move(touched))};
    }

    Numbers log_z(int jobs) const {
        std::vector<double> values(batch_.sentences());
        unlocked([&] { sums_of<Real>(batch_, jobs, values.data(), nullptr, nullptr); });
        return numpy_of(std::move(values));
    }

    auto marginals(int jobs, bool with_ngrams) const {
        std::vector<double> values(batch_.sentences());
        std::vector<Real> labels(tokens_ * batch_.labels), ngrams(with_ngrams ? labels.size() * rows_ : 0);
        unlocked([&] { sums_of(batch_, jobs, values.data(), labels.data(), with_ngrams ? ngrams.data() : nullptr); });
        return std::make_tuple(numpy_of(std::move(values)), numpy_of(std::move(labels)), numpy_of(std::move(ngrams)));
    }

    // (log Z, unary, begin, table)
    auto expectations(int jobs, const Optional<Real>& weights) const {
        if (weights && weights->size() != batch_.sentences()) refuse("weights");
        std::vector<double> values(batch_.sentences());
        std::vector<Real> unary(unary_.size()), begin(begin_.size()), table(table_.size());
        unlocked([&] {
            expectations_of(batch_, jobs, weights ? weights->data() : nullptr, values.data(),
                            {unary.data(), begin.data(), table.data()});
        });
        return std::make_tuple(numpy_of(std::move(values)), numpy_of(std::move(unary)), numpy_of(std::move(begin)),
                               numpy_of(std::move(table)));
    }

    // The same of covariances with values that are laid out as the scores are.
    std::tuple<Numbers, Numbers, Numbers> covariances(int jobs, const Array<double>& unary, const Array<double>& begin,
                                                      const Array<double>& table) const {
        if (batch_.order < 1) refuse("covariances and the order");
        if (unary.size() != unary_.size() || begin.size() != begin_.size() || table.size() != table_.size()) refuse("values");
        std::vector<double> of_unary(unary.size()), of_begin(begin.size()), of_table(table.size());
        unlocked([&] {
            covariances_of(batch_, jobs, {unary.data(), begin.data(), table.data()},
                           {of_unary.data(), of_begin.data(), of_table.data()});
        });
        return {numpy_of(std::move(of_unary)), numpy_of(std::move(of_begin)), numpy_of(std::move(of_table))};
    }

    Numbers scores(const Array<int32_t>& y) const {
        if (y.size() != tokens_) refuse("labels");
        for (int32_t label : span_of(y))
            if (label < 0 || static_cast<size_t>(label) >= batch_.labels) refuse("labels");
        std::vector<double> values(batch_.sentences());
        unlocked([&] { scores_of(batch_, y.data(), values.data()); });
        return numpy_of(std::move(values));
    }

    // (scores, labels) of the first sentence, which is the only one.
    std::tuple<Numbers, Labels> kbest(size_t k) const {
        auto found = unlocked([&] { return kbest_labels(ChainReader<double>(the_one()).read(0), k); });
        return {numpy_of(std::move(found.scores)), numpy_of(std::move(found.labels))};
    }

    // (found, exact, score, states touched, labels)
    std::tuple<bool, bool, double, int64_t, Labels> best_first(double factor, bool constant) const {
        return searched([&](const ChainScores<double>& s) { return best_first_search(s, {constant, factor}); });
    }
    std::tuple<bool, bool, double, int64_t, Labels> multi_stack(size_t top, double width) const {
        return searched([&](const ChainScores<double>& s) { return multi_stack_search(s, top, width); });
    }

private:
    [[noreturn]] static void refuse(const char* what) {
        throw std::invalid_argument(std::string("the ") + what + " do not fit together");
    }
    const ChainBatch<Real>& the_one() const {
        if (batch_.sentences() != 1) refuse("sentences");
        return batch_;
    }
    template <class Search>
    std::tuple<bool, bool, double, int64_t, Labels> searched(Search search) const {
        auto r = unlocked([&] {
            ChainReader<double> reader(the_one());
            return search(reader.read(0));
        });
        return {r.found, r.exact, r.score, r.touched, numpy_of(std::move(r.labels))};
    }

    Array<int64_t> offsets_;
    Array<Real> unary_, begin_, table_;
    Optional<uint8_t> allowed_;
    Optional<Real> first_, last_;
    ChainBatch<Real> batch_;
    size_t tokens_ = 0, rows_ = 1;
};

template <class Real>
auto bind_batch(nb::module_& m, const char* name) {
    using Held = HeldBatch<Real>;
    return nb::class_<Held>(m, name)
        .def(nb::init<size_t, int, Array<int64_t>, Array<Real>, Optional<uint8_t>, Optional<Real>, Optional<Real>,
                      Array<Real>, Array<Real>, bool>(),
             nb::arg("labels"), nb::arg("order"), nb::arg("offsets").noconvert(), nb::arg("unary").noconvert(),
             nb::arg("allowed").noconvert().none(), nb::arg("first").noconvert().none(),
             nb::arg("last").noconvert().none(), nb::arg("begin").noconvert(), nb::arg("table").noconvert(),
             nb::arg("per_position"))
        .def("best", &Held::best, nb::arg("jobs"))
        .def("log_z", &Held::log_z, nb::arg("jobs"))
        .def("marginals", &Held::marginals, nb::arg("jobs"), nb::arg("with_ngrams"))
        .def("expectations", &Held::expectations, nb::arg("jobs"), nb::arg("weights").noconvert().none())
        .def("scores", &Held::scores, nb::arg("y").noconvert());
}

}  // namespace

void bind_chain(nb::module_& m) {
    bind_batch<float>(m, "FloatChains");
    bind_batch<double>(m, "DoubleChains")
        .def("covariances", &HeldBatch<double>::covariances, nb::arg("jobs"), nb::arg("unary").noconvert(),
             nb::arg("begin").noconvert(), nb::arg("table").noconvert())
        .def("kbest", &HeldBatch<double>::kbest, nb::arg("k"))
        .def("best_first", &HeldBatch<double>::best_first, nb::arg("factor"), nb::arg("constant"))
        .def("multi_stack", &HeldBatch<double>::multi_stack, nb::arg("top"), nb::arg("width"));
}
