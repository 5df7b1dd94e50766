# Compiles for WebAssembly (wasm32-wasip1) with clang 22 and with the system headers and libraries of the npm package
# @yowasp/clang. That package's compiler runs in web pages, and links the objects compiled here.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})

get_filename_component(project ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(resources ${project}/web/node_modules/@yowasp/clang/gen/llvm-resources.tar)
set(sysroot ${project}/build/wasi-sysroot)
if(${resources} IS_NEWER_THAN ${sysroot}/extracted)
  if(NOT EXISTS ${resources})
    message(FATAL_ERROR "${resources} is missing; run npm ci in web/, or ./run web")
  endif()
  file(REMOVE_RECURSE ${sysroot})
  file(ARCHIVE_EXTRACT INPUT ${resources} DESTINATION ${sysroot})
  # The sysroot links to these headers of this machine: header-only libraries, and the header of utf8proc. Other headers of this
  # machine must not be found.
  foreach(library IN ITEMS nlohmann xtensor xtl xtensor.hpp utf8proc.h)
    file(CREATE_LINK /usr/include/${library} ${sysroot}/include/${library} SYMBOLIC)
  endforeach()
  file(TOUCH ${sysroot}/extracted)
endif()

set(CMAKE_SYSROOT ${sysroot})
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasip1)
# These options are not in CMAKE_CXX_FLAGS_INIT, because the presets' CMAKE_CXX_FLAGS replace it.
add_compile_options(-resource-dir ${sysroot} -msimd128 -fwasm-exceptions -D_WASI_EMULATED_GETPID)
# --no-wasm-opt: otherwise clang would run the machine's wasm-opt, which may be too old.
add_link_options(-resource-dir ${sysroot} --no-wasm-opt -lwasi-emulated-getpid -Wl,--gc-sections -Wl,-z,stack-size=1048576)
set(CMAKE_CXX_COMPILER clang++-22)
set(CMAKE_AR llvm-ar-22)
set(CMAKE_RANLIB llvm-ranlib-22)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH ${sysroot})
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
