// The arrays of a Python `TokenViews`, checked, as the core sees them.
#pragma once
#include "bind/bind.hpp"
#include "features/token_views.hpp"

// Keeps the arrays alive; `views` points into them.
struct BoundViews {
    nb::list kept;
    palmette::TokenViews views;

    BoundViews(const Array<int64_t>& offsets, const Array<uint64_t>& values, const Array<int64_t>& piece_rows, const Array<uint64_t>& pieces) {
        require(offsets.size() > 0 && piece_rows.size() > 0, "there must be offsets and rows");
        const size_t tokens = piece_rows.size() - 1;
        check_boundaries(offsets, offsets.size() - 1, tokens, "the offsets do not cut the tokens into sentences");
        check_boundaries(piece_rows, tokens, pieces.size(), "the rows do not cut the pieces into tokens");
        require(values.size() == tokens * palmette::kViews, "there must be one row of views per token");
        views = {offsets.size() - 1, offsets.data(), values.data(), piece_rows.data(), pieces.data()};
        kept.append(offsets);
        kept.append(values);
        kept.append(piece_rows);
        kept.append(pieces);
    }
};
