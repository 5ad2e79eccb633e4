// Ends with 0 if numbers too small for a normal float are zero while a FlushToZero lives, and only then.
#include "base/flush_to_zero.hpp"

#include <cfloat>

namespace {

// volatile: the compiler does not know them, and computes at run time.
volatile float small_float = FLT_MIN;
volatile double small_double = DBL_MIN;
volatile float tiny_float = FLT_MIN / 4;
volatile double tiny_double = DBL_MIN / 4;
volatile float four = 4;

// Neither small results nor small operands are lost, or all are.
bool keeps_them() { return small_float / four > 0 && small_double / four > 0 && tiny_float * four > 0 && tiny_double * four > 0; }
bool drops_them() {
    return small_float / four == 0 && small_double / four == 0 && tiny_float * four == 0 && tiny_double * four == 0;
}

}  // namespace

int main() {
    if (!keeps_them()) return 1;
    {
        const palmette::FlushToZero outer;
        if (!drops_them()) return 2;
        {
            const palmette::FlushToZero inner;
            if (!drops_them()) return 3;
        }
        if (!drops_them()) return 4;
    }
    return keeps_them() ? 0 : 5;
}
