#include "learning/euclidean_memory.hpp"

#include <numeric>

#include "base/parallel.hpp"

namespace palmette {
namespace {

constexpr std::size_t kQueries = 16, kBlock = 16;
constexpr double kSlack = 1e-9;  // of rounding, when a projection is compared with a distance

}  // namespace

EuclideanMemory::EuclideanMemory(std::span<const double> rows, std::size_t width, std::span<const double> along, std::size_t n_classes, std::span<const std::int32_t> classes)
    : width_(width), n_classes_(n_classes), places_(classes.size()), along_(along.begin(), along.end()), classes_(classes.begin(), classes.end()) {
    const std::size_t n = classes_.size();
    std::vector<double> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = projection(rows.data() + i * width_);
    std::iota(places_.begin(), places_.end(), 0u);
    std::stable_sort(places_.begin(), places_.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    rows_.reserve(n * width_);
    for (const std::uint32_t i : places_) {
        rows_.insert(rows_.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * width_), rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * width_));
        keys_.push_back(keys[i]);
    }
}

double EuclideanMemory::projection(const double* row) const {
    double sum = 0;
    for (std::size_t d = 0; d < width_; ++d) sum += row[d] * along_[d];
    return sum;
}

std::span<const Neighbour> EuclideanMemory::search(const double* query, std::size_t k, bool distances, Nearest& room) const {
    room.start(k, distances);
    const double key = projection(query);
    std::size_t up = static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), key) - keys_.begin()), down = up;
    const auto look = [&](std::size_t at) {
        const double* y = rows_.data() + at * width_;
        const double bound = room.bound() * room.bound() * (1 + kSlack);
        double sum = 0;
        for (std::size_t d = 0; d < width_; d += kBlock) {
            double part = 0;
            for (std::size_t e = d; e < std::min(width_, d + kBlock); ++e) part += (query[e] - y[e]) * (query[e] - y[e]);
            sum += part;
            if (sum > bound) return;
        }
        const double distance = std::sqrt(sum);
        if (distance <= room.bound()) room.add(distance, {places_.data() + at, 1});
    };
    const auto far = [&](double gap) { return gap > room.bound() + kSlack * (std::abs(key) + gap); };
    while (up < keys_.size() || down > 0) {
        const double above = up < keys_.size() ? keys_[up] - key : std::numeric_limits<double>::infinity();
        const double below = down > 0 ? key - keys_[down - 1] : std::numeric_limits<double>::infinity();
        if (far(std::min(above, below))) break;
        if (above <= below) look(up++);
        else look(--down);
    }
    return room.finish();
}

void EuclideanMemory::votes(std::span<const double> queries, std::size_t n_queries, std::size_t k, bool distances, Voting voting, double decay, int n_jobs, double* out) const {
    std::vector<Nearest> rooms(static_cast<std::size_t>(std::max(n_jobs, 1)));
    parallel((n_queries + kQueries - 1) / kQueries, n_jobs, [&](std::size_t piece, std::size_t thread) {
        for (std::size_t q = piece * kQueries; q < std::min(n_queries, (piece + 1) * kQueries); ++q) {
            std::fill_n(out + q * n_classes_, n_classes_, 0.0);
            vote(search(queries.data() + q * width_, k, distances, rooms[thread]), classes_, voting, decay, out + q * n_classes_);
        }
    });
}

}  // namespace palmette
