# What CMake must know to compile for aarch64 on another processor: tools/check-aarch64 sets PALMETTE_SYSTEM to a folder with the
# headers of Python for aarch64. The compiler has no warnings to give.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CXX_FLAGS_INIT "-Werror -idirafter $ENV{PALMETTE_SYSTEM}/usr/include")
set(CMAKE_FIND_ROOT_PATH $ENV{PALMETTE_SYSTEM})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE NEVER)
