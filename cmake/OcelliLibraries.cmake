# Every library comes from the distribution's packages; nothing is fetched or vendored.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Boost 1.81 REQUIRED)  # headers only
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy libhwy-contrib)
pkg_check_modules(VIPS REQUIRED IMPORTED_TARGET vips)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)

# OpenCV as its two modules: its own package file asks for every module there is.
find_path(OPENCV_INCLUDE_DIR opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)
find_path(OPENCV_CONFIG_INCLUDE_DIR opencv2/opencv_modules.hpp PATH_SUFFIXES opencv4 REQUIRED)
find_library(OPENCV_CORE_LIBRARY opencv_core REQUIRED)
find_library(OPENCV_IMGPROC_LIBRARY opencv_imgproc REQUIRED)
add_library(ocelli_opencv INTERFACE)
target_include_directories(ocelli_opencv SYSTEM INTERFACE "${OPENCV_INCLUDE_DIR}"
                           "${OPENCV_CONFIG_INCLUDE_DIR}")
target_link_libraries(ocelli_opencv INTERFACE "${OPENCV_IMGPROC_LIBRARY}" "${OPENCV_CORE_LIBRARY}")
