#include "base/processor.hpp"

namespace palmette {

#define PALMETTE_TEXT(macro) #macro
#define PALMETTE_IS_DEFINED(name, macro) PALMETTE_TEXT(macro)[0] == '1',

constinit const bool kUsedExtensions[] = {PALMETTE_EXTENSIONS(PALMETTE_IS_DEFINED)};

}  // namespace palmette
