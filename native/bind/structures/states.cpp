// Chains whose histories are states of an automaton: the states, and sentences with their scores.
#include <nanobind/stl/tuple.h>

#include <stdexcept>

#include "base/parallel.hpp"
#include "bind/bind.hpp"
#include "structures/chain/kbest.hpp"
#include "structures/chain/search.hpp"

using namespace palmette;

namespace {

using Numbers = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Labels = nb::ndarray<nb::numpy, int32_t, nb::ndim<1>>;
using Found = std::tuple<bool, bool, double, int64_t, Labels>;

template <class T>
std::vector<T> copy_of(const Array<T>& array) {
    return {array.data(), array.data() + array.size()};
}

void new_states(LabelStates* place, size_t n_labels, size_t n_rows, const Array<int32_t>& label, const Array<int32_t>& from,
                const Array<int32_t>& to, const Array<uint8_t>& final, const Array<int64_t>& row_first, const Array<int32_t>& rows) {
    new (place) LabelStates(n_labels, n_rows, copy_of(label), copy_of(from), copy_of(to), copy_of(final), copy_of(row_first), copy_of(rows));
}

class HeldStateChains {
public:
    HeldStateChains(nb::object states, Array<int64_t> offsets, Array<double> unary, Array<double> steps, bool per_position)
        : held_(states), states_(nb::cast<const LabelStates&>(states)), offsets_(offsets), unary_(unary), steps_(steps), per_position_(per_position) {
        const size_t L = states_.n_labels, A = states_.n_steps();
        if (offsets.size() == 0) refuse("offsets");
        const size_t tokens = static_cast<size_t>(offsets.data()[offsets.size() - 1]);
        check_boundaries(offsets, offsets.size() - 1, tokens, "the offsets do not cut the tokens into sentences");
        if (unary.size() != tokens * L) refuse("unary scores");
        if (steps.size() != A * (per_position ? tokens : 1)) refuse("scores of steps");
        tokens_ = tokens;
    }

    auto best(int jobs) const {
        std::vector<int32_t> y(tokens_);
        std::vector<double> score(size());
        std::vector<int64_t> touched(size());
        each(jobs, [&](size_t k, StateSpace& space) { score[k] = viterbi(read(k), space, y.data() + offsets_.data()[k], &touched[k]); });
        return std::make_tuple(numpy_of(std::move(y)), numpy_of(std::move(score)), numpy_of(std::move(touched)));
    }
    Numbers log_z(int jobs) const { return std::get<0>(sums(jobs, false, false)); }
    std::tuple<Numbers, Numbers, Numbers> marginals(int jobs, bool with_steps) const { return sums(jobs, true, with_steps); }
    Numbers scores(const Array<int32_t>& y) const {
        if (y.size() != tokens_) refuse("labels");
        check_ids(y, 0, static_cast<int64_t>(states_.n_labels), "a label is out of range");
        std::vector<double> values(size());
        for (size_t k = 0; k < size(); ++k) values[k] = chain_score(read(k), y.data() + offsets_.data()[k]);
        return numpy_of(std::move(values));
    }
    // These are for a single sentence.
    std::tuple<Numbers, Labels> kbest(size_t k) const {
        auto found = kbest_labels(the_one(), k);
        return {numpy_of(std::move(found.scores)), numpy_of(std::move(found.labels))};
    }
    Found best_first(double factor, bool constant) const { return shown(best_first_search(the_one(), {constant, factor})); }
    Found multi_stack(size_t top, double width) const { return shown(multi_stack_search(the_one(), top, width)); }

private:
    [[noreturn]] static void refuse(const char* what) { throw std::invalid_argument(std::string("the ") + what + " do not fit together"); }
    static Found shown(ChainSearch r) { return {r.found, r.exact, r.score, r.touched, numpy_of(std::move(r.labels))}; }
    size_t size() const { return offsets_.size() - 1; }
    StateScores read(size_t k) const {
        const size_t first = static_cast<size_t>(offsets_.data()[k]), A = states_.n_steps();
        return {&states_, static_cast<size_t>(offsets_.data()[k + 1]) - first, states_.n_labels, unary_.data() + first * states_.n_labels,
                steps_.data() + (per_position_ ? first * A : 0), per_position_ ? static_cast<std::ptrdiff_t>(A) : 0};
    }
    StateScores the_one() const {
        if (size() != 1) refuse("sentences");
        return read(0);
    }
    template <class Work>
    void each(int jobs, const Work& work) const {
        nb::gil_scoped_release release;
        std::vector<StateSpace> spaces(static_cast<size_t>(std::max(1, jobs)));
        parallel(size(), jobs, [&](size_t k, size_t thread) { work(k, spaces[thread]); });
    }
    std::tuple<Numbers, Numbers, Numbers> sums(int jobs, bool with_labels, bool with_steps) const {
        const size_t L = states_.n_labels, A = states_.n_steps();
        std::vector<double> values(size()), labels(with_labels ? tokens_ * L : 0), steps(with_steps ? tokens_ * A : 0);
        each(jobs, [&](size_t k, StateSpace& space) {
            const size_t first = static_cast<size_t>(offsets_.data()[k]);
            const StateScores s = read(k);
            StatePotentials potentials;
            potentials.set(s);
            values[k] = forward_backward(s, potentials, space, with_labels ? labels.data() + first * L : nullptr,
                                         with_steps ? steps.data() + first * A : nullptr, static_cast<std::ptrdiff_t>(A));
        });
        return {numpy_of(std::move(values)), numpy_of(std::move(labels)), numpy_of(std::move(steps))};
    }

    nb::object held_;
    const LabelStates& states_;
    Array<int64_t> offsets_;
    Array<double> unary_, steps_;
    bool per_position_;
    size_t tokens_ = 0;
};

}  // namespace

void bind_states(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<LabelStates>(m, "LabelStates")
        .def("__init__", &new_states, "n_labels"_a, "n_rows"_a, "label"_a.noconvert(), "from_"_a.noconvert(), "to"_a.noconvert(),
             "final"_a.noconvert(), "row_first"_a.noconvert(), "rows"_a.noconvert());
    nb::class_<HeldStateChains>(m, "StateChains")
        .def(nb::init<nb::object, Array<int64_t>, Array<double>, Array<double>, bool>(), "states"_a, "offsets"_a.noconvert(),
             "unary"_a.noconvert(), "steps"_a.noconvert(), "per_position"_a)
        .def("best", &HeldStateChains::best, "jobs"_a)
        .def("log_z", &HeldStateChains::log_z, "jobs"_a)
        .def("marginals", &HeldStateChains::marginals, "jobs"_a, "with_steps"_a)
        .def("scores", &HeldStateChains::scores, "y"_a.noconvert())
        .def("kbest", &HeldStateChains::kbest, "k"_a)
        .def("best_first", &HeldStateChains::best_first, "factor"_a, "constant"_a)
        .def("multi_stack", &HeldStateChains::multi_stack, "top"_a, "width"_a);
}
