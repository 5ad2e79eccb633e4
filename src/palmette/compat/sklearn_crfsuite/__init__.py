"""sklearn-crfsuite's `CRF` on Palmette's core: users change their imports.

    import palmette.compat.sklearn_crfsuite as sklearn_crfsuite
    from palmette.compat.sklearn_crfsuite import metrics, scorers

The model is CRFsuite's: weights for pairs of an attribute and a label, and for pairs of labels, that occur in the
training data (an attribute whose value is False or 0 occurs, too), or for all; `min_freq` cuts off those whose
values sum to less. What the parameters become:

    algorithm="lbfgs"   the minimum of −log p(y | x) + c2 · ‖w‖² + c1 · ‖w‖₁, the same function and so the same
                        model at its minimum; L-BFGS, with c1 > 0 OWL-QN. num_memories, epsilon, period, delta and
                        max_iterations are CRFsuite's. linesearch: "MoreThuente" is a search by cubics for the
                        strong Wolfe conditions, "Backtracking" one by halves for the Wolfe conditions,
                        "StrongBacktracking" one by halves for the strong ones; with c1 > 0 each is a search by
                        halves for a lower value, as in CRFsuite. max_linesearch bounds its trials.
    algorithm="l2sgd"   the same function without c1, by stochastic gradient descent; the calibration_* parameters
                        find its first step as in CRFsuite, period and delta stop it.
    algorithm="ap"      the averaged perceptron; stops when less than `epsilon` of the labels are wrong in a pass.
    algorithm="pa"      passive-aggressive: pa_type 0, 1, 2 without slack, PA-I, PA-II; c is their c. With
                        error_sensitive the margin asked for is the number of wrong labels, and outputs are
                        searched with it (CRFsuite: its square root, and a plain search); without, it is 1.
                        averaging: the mean of all weights. Stops when the mean violation is below `epsilon`.
    algorithm="arow"    AROW with a diagonal covariance, from `variance`, with `gamma`; `epsilon` as for pa. The
                        margin is the number of wrong labels.

A parameter that the algorithm does not have is an error, as in CRFsuite. `verbose` prints a line per iteration.
`model_filename` is a Palmette model file, read if there is one and written by `fit`: `Tagger.load` reads it, too;
CRFsuite's own files are an error. There are no temporary files and no CRFsuite trainers, so `keep_tempfiles` and
`trainer_cls` are errors unless they are left alone. One parameter is new: `n_jobs`, threads for lbfgs and
prediction; results do not depend on it.
"""

from palmette.compat.sklearn_crfsuite.estimator import CRF

__all__ = ["CRF"]
