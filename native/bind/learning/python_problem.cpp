// A learning problem whose structure and features are written in Python: every question of the contract
// (learning/problem.hpp) becomes a call of a method. The learners' loops run without the GIL, possibly on several
// threads, so each call takes it, and no Python object outlives a call. What Python raises goes through the loops.
#include "bind/learning/problem.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace palmette {

// An example has only parts of its own, and an output is how often it uses each. The object behind it is the
// adapter of learning/adapter.py, which checks what the user's methods return: arrays of doubles.
class PythonProblem {
public:
    using Output = std::vector<float>;
    struct State {
        std::size_t example = 0;
        std::vector<float> scores, augmented;
    };

    explicit PythonProblem(nb::object model)
        : model_(std::move(model)), n_weights_(nb::cast<std::size_t>(model_.attr("n_weights"))), weights_(nb::len(model_), 1.0f) {
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            gold_.push_back(floats(model_.attr("gold")(i)));
            const nb::tuple costs = nb::cast<nb::tuple>(model_.attr("costs")(i));
            most_.push_back(nb::cast<double>(costs[0]));
            costs_.push_back(floats(costs[1]));
            weights_[i] = nb::cast<float>(model_.attr("weight")(i));
            if (costs_[i].size() != gold_[i].size()) throw std::invalid_argument("there must be one cost per part");
        }
    }

    std::size_t size() const { return gold_.size(); }
    std::size_t n_weights() const { return n_weights_; }
    std::size_t n_shared() const { return 0; }
    Offers offers() const {
        constexpr const char* kNames[] = {"best", "kbest", "marginals", "risk", "parts", "costs", "weights", "votes", "latent"};
        nb::gil_scoped_acquire gil;
        const nb::frozenset found = nb::cast<nb::frozenset>(model_.attr("offers"));
        Offers offers;
        for (const char* name : kNames)
            if (found.contains(name)) offers.push_back(name);
        return offers;
    }
    std::size_t n_parts(std::size_t i) const { return gold_[i].size(); }
    float weight(std::size_t i) const { return weights_[i]; }

    template <class Visit>
    void rows(std::size_t, Visit&& visit) const {  // who knows: all
        visit(std::size_t{0}, n_weights_);
    }

    void observed(std::uint8_t* mask) const {
        nb::gil_scoped_acquire gil;
        if (nb::cast<bool>(model_.attr("is_latent"))) {
            std::fill_n(mask, n_weights_, std::uint8_t{1});
            return;
        }
        for (std::size_t i = 0; i < size(); ++i)
            pulled(i, gold_[i].data(), [&](std::size_t k, double) { mask[k] = 1; });
    }

    void keep_to(const std::uint8_t* free) { free_ = free; }
    void prepare(State&, const float*, float, bool) const {}

    void score(State& s, std::size_t i, const float* w, float scale) const {
        std::vector<float> scaled(w, w + n_weights_);
        for (float& weight : scaled) weight *= scale;
        nb::gil_scoped_acquire gil;
        set(s, i, floats(model_.attr("scores")(i, numpy_of(std::move(scaled)))));
    }
    void set_scores(State& s, std::size_t i, const float* parts) const { set(s, i, std::vector<float>(parts, parts + n_parts(i))); }

    void part_scores(std::size_t i, const float* w, float* parts) const {
        State s;
        score(s, i, w, 1.0f);
        std::copy(s.scores.begin(), s.scores.end(), parts);
    }

    double best(State& s, float cost, Output& y) const {
        augment(s, cost);
        nb::gil_scoped_acquire gil;
        y = output(s.example, model_.attr("best")(s.example, array(s.augmented)));
        return dot(s.augmented, y) + cost * most_[s.example];
    }

    void kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& scores) const {
        augment(s, cost);
        nb::gil_scoped_acquire gil;
        ys.clear();
        scores.clear();
        for (nb::handle y : nb::cast<nb::list>(model_.attr("kbest")(s.example, array(s.augmented), k))) {
            ys.push_back(output(s.example, nb::borrow(y)));
            scores.push_back(dot(s.augmented, ys.back()) + cost * most_[s.example]);
        }
    }

    void gold(State& s, Output& y) const { y = gold_[s.example]; }
    double loss(std::size_t i, const Output& y) const { return most_[i] + dot(costs_[i], y); }
    double part_costs(std::size_t i, float* parts) const {
        std::copy(costs_[i].begin(), costs_[i].end(), parts);
        return most_[i];
    }

    template <class Visit>
    void difference(std::size_t i, const Output& gold, const Output& guess, Visit&& visit) const {
        std::vector<float> parts(gold);
        for (std::size_t k = 0; k < parts.size(); ++k) parts[k] -= guess[k];
        nb::gil_scoped_acquire gil;
        pulled(i, parts.data(), [&](std::size_t k, double value) { visit(k, static_cast<float>(value)); });
    }

    double marginals(State& s, float* parts) const { return sum("marginals", s, parts); }
    double gold_marginals(State& s, float* parts) const { return sum("gold_marginals", s, parts); }
    double risk(State& s, float* parts) const { return sum("risk", s, parts); }

    void pullback(std::size_t i, const float* parts, float step, float* g) const {
        nb::gil_scoped_acquire gil;
        pulled(i, parts, [&](std::size_t k, double value) {
            if (!free_ || free_[k]) g[k] += static_cast<float>(step * value);
        });
    }
    void pullback_block(std::size_t begin, std::size_t end, const float* parts, int, float* g) const {
        for (std::size_t i = begin; i < end; parts += n_parts(i), ++i) pullback(i, parts, 1.0f, g);
    }

private:
    static std::vector<float> floats(const nb::object& array) {
        const auto doubles = nb::cast<Array<double>>(array, false);
        return std::vector<float>(doubles.data(), doubles.data() + doubles.size());
    }
    static nb::ndarray<nb::numpy, float, nb::ndim<1>> array(const std::vector<float>& values) { return numpy_of(std::vector<float>(values)); }
    // Parts that are not used do not count, be their score minus infinity.
    static double dot(const std::vector<float>& scores, const Output& y) {
        double sum = 0;
        for (std::size_t k = 0; k < y.size(); ++k)
            if (y[k] != 0) sum += static_cast<double>(scores[k]) * y[k];
        return sum;
    }
    Output output(std::size_t i, const nb::object& array) const {
        Output y = floats(array);
        if (y.size() != n_parts(i)) throw std::invalid_argument("an output must say of every part how often it is used");
        return y;
    }
    void set(State& s, std::size_t i, std::vector<float>&& scores) const {
        if (scores.size() != n_parts(i)) throw std::invalid_argument("there must be one score per part");
        s.example = i;
        s.scores = std::move(scores);
    }
    void augment(State& s, float cost) const {
        s.augmented = s.scores;
        if (cost == 0) return;
        for (std::size_t k = 0; k < s.augmented.size(); ++k) s.augmented[k] += cost * costs_[s.example][k];
    }
    double sum(const char* method, State& s, float* parts) const {
        nb::gil_scoped_acquire gil;
        const nb::tuple pair = nb::cast<nb::tuple>(model_.attr(method)(s.example, array(s.scores)));
        const Output values = output(s.example, pair[1]);
        std::copy(values.begin(), values.end(), parts);
        return nb::cast<double>(pair[0]);
    }
    template <class Visit>
    void pulled(std::size_t i, const float* parts, Visit&& visit) const {
        const nb::tuple pair = nb::cast<nb::tuple>(model_.attr("pullback")(i, array({parts, parts + n_parts(i)})));
        const auto indices = nb::cast<Array<int64_t>>(pair[0], false);
        const auto values = nb::cast<Array<double>>(pair[1], false);
        if (indices.size() != values.size()) throw std::invalid_argument("there must be one value per index");
        for (std::size_t k = 0; k < indices.size(); ++k) {
            const int64_t at = indices.data()[k];
            if (at < 0 || static_cast<std::size_t>(at) >= n_weights_) throw std::out_of_range("pullback names a weight that is not there");
            visit(static_cast<std::size_t>(at), values.data()[k]);
        }
    }

    nb::object model_;
    const std::uint8_t* free_ = nullptr;
    std::size_t n_weights_;
    std::vector<Output> gold_, costs_;
    std::vector<double> most_;
    std::vector<float> weights_;
};

static_assert(LearningProblem<PythonProblem>);

}  // namespace palmette

using namespace palmette;

void bind_python_problem(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<Bound<PythonProblem>, BoundProblem>(m, "PythonProblem")
        .def(
            "__init__", [](Bound<PythonProblem>* place, nb::object model) { new (place) Bound<PythonProblem>({}, PythonProblem(std::move(model))); },
            "model"_a);
}
