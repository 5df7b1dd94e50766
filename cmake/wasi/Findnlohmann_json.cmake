# Header-only; toolchain.cmake puts the headers into the sysroot.
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
set(nlohmann_json_FOUND TRUE)
