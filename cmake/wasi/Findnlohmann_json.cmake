# nlohmann_json is header-only. toolchain.cmake puts its headers into the sysroot.
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
set(nlohmann_json_FOUND TRUE)
