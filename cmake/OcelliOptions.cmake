# Build-wide switches. Every preset in CMakePresets.json is a combination of these.

option(OCELLI_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(OCELLI_TSAN "Build with ThreadSanitizer" OFF)
option(OCELLI_WEB "Build the web page into the program; needs npm" ON)
option(OCELLI_SCALAR "Compile only the scalar kernels, to test the path of last resort" OFF)

# Never -march=native and never -ffast-math: one binary runs on every x86-64, and sums keep their
# order. Contraction is off so that a*b+c is fused only where a kernel says so.
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Werror -ffp-contract=off
                    -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports overlaps and overflows that are not there inside inlined std::string and fmt code
  # (GCC bugs 105329 and 105762).
  add_compile_options(-Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()

if(OCELLI_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)  # a false alarm of GCC's once it instruments
  endif()
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
endif()
if(OCELLI_TSAN)
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
if(OCELLI_SCALAR)
  add_compile_definitions(HWY_COMPILE_ONLY_SCALAR OCELLI_COMPILE_ONLY_SCALAR)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()
