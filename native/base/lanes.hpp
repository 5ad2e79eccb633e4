// Rows of labels are padded to a multiple of eight numbers, so that loops over them are vector instructions alone.
#pragma once
#include <cstddef>

namespace palmette {

constexpr std::size_t kLanes = 8;
inline std::size_t padded(std::size_t labels) { return (labels + kLanes - 1) / kLanes * kLanes; }

}  // namespace palmette
