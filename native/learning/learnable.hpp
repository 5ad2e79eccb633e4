// Every learner's loop over a problem of some kind, behind one class, so that who calls them need not know the kind. A call
// is a pass over the examples, so what a virtual function costs is nothing.
//
// A problem's header says `extern template class LearnableAs<P>;`, and one .cpp has `template class LearnableAs<P>;`: the
// loops are compiled there and nowhere else.
#pragma once
#include <utility>

#include "learning/arow.hpp"
#include "learning/decoding.hpp"
#include "learning/exponentiated.hpp"
#include "learning/frank_wolfe.hpp"
#include "learning/hinge.hpp"
#include "learning/loglinear.hpp"
#include "learning/mira.hpp"
#include "learning/perceptron.hpp"
#include "learning/subgradient.hpp"
#include "learning/working_set.hpp"

namespace palmette {

class Learnable {
public:
    using Order = std::span<const std::int64_t>;

    virtual ~Learnable() = default;
    virtual std::size_t size() const = 0;
    virtual std::size_t n_weights() const = 0;
    virtual std::size_t n_shared() const = 0;
    virtual std::size_t n_parts(std::size_t i) const = 0;
    virtual Offers offers() const = 0;
    virtual void observed(std::uint8_t* mask) const = 0;
    virtual void keep_to(const std::uint8_t* free) = 0;

    virtual double total_loss(const float* w, int n_jobs) const = 0;
    virtual double batch_gradient(const float* w, Objective objective, int n_jobs, float* g, ExampleRange range) const = 0;
    virtual double sgd_epoch(float* v, double& scale, std::uint64_t& t, Order order, const SgdOptions& o) const = 0;
    virtual double sag_epoch(float* v, SagMemory& memory, Order order, double lambda, Objective objective) const = 0;
    virtual PerceptronPass perceptron_epoch(float* w, PerceptronMemory& memory, Order order) const = 0;
    virtual double smallest_margin(const float* w, int n_jobs) const = 0;
    virtual MiraPass mira_epoch(float* w, MiraMemory& memory, Order order, const MiraOptions& o) const = 0;
    virtual ArowPass arow_epoch(float* w, ArowMemory& memory, Order order, double gamma) const = 0;
    virtual Hinge total_hinge(const float* w, int n_jobs, float* g, ExampleRange range) const = 0;
    virtual double subgradient_epoch(float* v, SubgradientMemory& memory, Order order, double lambda, double radius) const = 0;
    virtual double frank_wolfe_epoch(float* w, FrankWolfeMemory& memory, Order order, double l2, const float* search) const = 0;
    virtual std::size_t working_set_epoch(WorkingSet& set, Order order, double l2, const float* search) const = 0;
    virtual void start_dual(const float* start, double l2, double sharpness, double rate, DualMemory& memory, float* w) const = 0;
    virtual double exponentiated_epoch(float* w, DualMemory& memory, Order order, double l2) const = 0;
};

template <LearningProblem P>
class LearnableAs final : public Learnable {
public:
    explicit LearnableAs(P&& p) : problem(std::move(p)) {}

    std::size_t size() const override { return problem.size(); }
    std::size_t n_weights() const override { return problem.n_weights(); }
    std::size_t n_shared() const override { return problem.n_shared(); }
    std::size_t n_parts(std::size_t i) const override { return problem.n_parts(i); }
    Offers offers() const override { return problem.offers(); }
    void observed(std::uint8_t* mask) const override { problem.observed(mask); }
    void keep_to(const std::uint8_t* free) override { problem.keep_to(free); }

    double total_loss(const float* w, int n_jobs) const override { return palmette::total_loss(problem, w, n_jobs); }
    double batch_gradient(const float* w, Objective objective, int n_jobs, float* g, ExampleRange range) const override {
        return palmette::batch_gradient(problem, w, objective, n_jobs, g, range);
    }
    double sgd_epoch(float* v, double& scale, std::uint64_t& t, Order order, const SgdOptions& o) const override {
        return palmette::sgd_epoch(problem, v, scale, t, order, o);
    }
    double sag_epoch(float* v, SagMemory& memory, Order order, double lambda, Objective objective) const override {
        return palmette::sag_epoch(problem, v, memory, order, lambda, objective);
    }
    PerceptronPass perceptron_epoch(float* w, PerceptronMemory& memory, Order order) const override {
        return palmette::perceptron_epoch(problem, w, memory, order);
    }
    double smallest_margin(const float* w, int n_jobs) const override { return palmette::smallest_margin(problem, w, n_jobs); }
    MiraPass mira_epoch(float* w, MiraMemory& memory, Order order, const MiraOptions& o) const override {
        return palmette::mira_epoch(problem, w, memory, order, o);
    }
    ArowPass arow_epoch(float* w, ArowMemory& memory, Order order, double gamma) const override {
        return palmette::arow_epoch(problem, w, memory, order, gamma);
    }
    Hinge total_hinge(const float* w, int n_jobs, float* g, ExampleRange range) const override {
        return palmette::total_hinge(problem, w, n_jobs, g, range);
    }
    double subgradient_epoch(float* v, SubgradientMemory& memory, Order order, double lambda, double radius) const override {
        return palmette::subgradient_epoch(problem, v, memory, order, lambda, radius);
    }
    double frank_wolfe_epoch(float* w, FrankWolfeMemory& memory, Order order, double l2, const float* search) const override {
        return palmette::frank_wolfe_epoch(problem, w, memory, order, l2, search);
    }
    std::size_t working_set_epoch(WorkingSet& set, Order order, double l2, const float* search) const override {
        return palmette::working_set_epoch(problem, set, order, l2, search);
    }
    void start_dual(const float* start, double l2, double sharpness, double rate, DualMemory& memory, float* w) const override {
        palmette::start_dual(problem, start, l2, sharpness, rate, memory, w);
    }
    double exponentiated_epoch(float* w, DualMemory& memory, Order order, double l2) const override {
        return palmette::exponentiated_epoch(problem, w, memory, order, l2);
    }

    P problem;
};

}  // namespace palmette
