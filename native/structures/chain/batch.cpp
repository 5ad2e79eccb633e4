#include "structures/chain/batch.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/parallel.hpp"

namespace palmette {
namespace {

// Rows of `labels` numbers to rows of `stride` numbers.
template <class Real>
void pad_rows(const Real* from, std::size_t rows, std::size_t labels, std::size_t stride, Real pad, Real* to) {
    for (std::size_t r = 0; r < rows; ++r, from += labels, to += stride) {
        std::copy(from, from + labels, to);
        std::fill(to + labels, to + stride, pad);
    }
}

// Calls make() in every thread for a worker of its own, and worker(k) for every k < n, a few at a time.
template <class Make>
void in_parallel(std::size_t n, int jobs, const Make& make) {
    constexpr std::size_t kFew = 4;
    const std::size_t pieces = (n + kFew - 1) / kFew;
    std::vector<std::optional<decltype(make())>> workers(std::min<std::size_t>(std::max(1, jobs), pieces));
    parallel(pieces, jobs, [&](std::size_t piece, std::size_t thread) {
        auto& worker = workers[thread];
        if (!worker) worker.emplace(make());
        for (std::size_t k = piece * kFew; k < std::min(n, (piece + 1) * kFew); ++k) (*worker)(k);
    });
}

}  // namespace

template <class Real>
ChainReader<Real>::ChainReader(const ChainBatch<Real>& batch) : batch_(batch), stride_(padded(batch.labels)) {
    const std::size_t L = batch.labels;
    if (batch.order > 1) {
        begin_.resize(begin_size(L, stride_, batch.order));
        pad_rows(batch.begin, begin_.size() / stride_, L, stride_, Real(0), begin_.data());
    }
    if (batch.order > 0 && !batch.per_position) {
        table_.resize(power(L, batch.order) * stride_);
        pad_rows(batch.table, table_.size() / stride_, L, stride_, Real(0), table_.data());
    }
}

template <class Real>
ChainScores<Real> ChainReader<Real>::read(std::size_t sentence) {
    const std::size_t L = batch_.labels, S = stride_;
    const std::size_t from = batch_.offsets[sentence], n = batch_.offsets[sentence + 1] - from;
    ChainScores<Real> s{n, L, S, batch_.order, nullptr, begin_.data(), table_.data(), 0, 0};
    unary_.resize(n * S);
    pad_rows(batch_.unary + from * L, n, L, S, minus_infinity<Real>, unary_.data());
    if (batch_.allowed)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t y = 0; y < L; ++y)
                if (!batch_.allowed[(from + i) * L + y]) unary_[i * S + y] = minus_infinity<Real>;
    for (std::size_t y = 0; n && y < L; ++y) {
        if (batch_.first) unary_[y] += batch_.first[y];
        if (batch_.last) unary_[(n - 1) * S + y] += batch_.last[y];
    }
    s.unary = unary_.data();
    if (batch_.per_position && batch_.order > 0) {
        const std::size_t rows = power(L, batch_.order);
        table_.resize(n * rows * S);
        pad_rows(batch_.table + from * rows * L, n * rows, L, S, Real(0), table_.data());
        s.table = table_.data();
        s.table_step = static_cast<std::ptrdiff_t>(rows * S);
    }
    return s;
}

template <class Real>
void best_of(const ChainBatch<Real>& batch, int jobs, std::int32_t* y, double* score, std::int64_t* touched) {
    in_parallel(batch.sentences(), jobs, [&] {
        return [&, reader = ChainReader<Real>(batch), space = ChainSpace<Real>()](std::size_t k) mutable {
            std::int64_t states = 0;
            score[k] = viterbi(reader.read(k), space, y + batch.offsets[k], &states);
            touched[k] = states;
        };
    });
}

template <class Real>
void sums_of(const ChainBatch<Real>& batch, int jobs, double* log_z, Real* marginals, Real* ngrams) {
    const std::size_t L = batch.labels, S = padded(L), rows = power(L, batch.order), block = rows * S;
    // One worker's room, and the potentials, which sentences share if they share the tables.
    struct Worker {
        ChainReader<Real> reader;
        ChainSpace<Real> space = {};
        ChainPotentials<Real> potentials = {};
        std::vector<Real> padded_marginals = {}, begins = {}, grams = {};
        bool ready = false;
    };
    const auto unpad = [&](const Real* from, std::size_t count, Real* to) {
        for (std::size_t r = 0; r < count; ++r) std::copy(from + r * S, from + r * S + L, to + r * L);
    };
    in_parallel(batch.sentences(), jobs, [&] {
        return [&, w = Worker{ChainReader<Real>(batch)}](std::size_t k) mutable {
            auto s = w.reader.read(k);
            const std::size_t first = batch.offsets[k];
            s.grams_step = ngrams ? static_cast<std::ptrdiff_t>(block) : 0;
            if (!w.ready || s.table_step) w.potentials.set(s);
            w.ready = true;
            if (marginals) w.padded_marginals.assign(s.n * S, Real(0));
            if (ngrams) {
                w.begins.assign(begin_size(L, S, s.order), Real(0));
                w.grams.assign(s.n * block, Real(0));
            }
            log_z[k] = forward_backward(s, w.potentials, w.space, marginals ? w.padded_marginals.data() : nullptr,
                                        ngrams ? w.begins.data() : nullptr, ngrams ? w.grams.data() : nullptr);
            if (marginals) unpad(w.padded_marginals.data(), s.n, marginals + first * L);
            if (!ngrams) return;
            for (std::size_t i = 0; i < s.n; ++i) {
                Real* to = ngrams + (first + i) * rows * L;
                if (i == 0 || s.order == 0)
                    unpad(w.padded_marginals.data() + i * S, 1, to);
                else if (i < static_cast<std::size_t>(s.order))
                    unpad(w.begins.data() + begin_size(L, S, static_cast<int>(i)), s.contexts(i), to);
                else
                    unpad(w.grams.data() + i * block, rows, to);
            }
        };
    });
}

template <class Real>
void scores_of(const ChainBatch<Real>& batch, const std::int32_t* y, double* score) {
    ChainReader<Real> reader(batch);
    for (std::size_t k = 0; k < batch.sentences(); ++k) score[k] = chain_score(reader.read(k), y + batch.offsets[k]);
}

PALMETTE_CHAIN_BATCH(, float)
PALMETTE_CHAIN_BATCH(, double)

}  // namespace palmette
