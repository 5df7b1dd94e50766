# gradus_flags(target): sets the compiler flags of one of the project's targets. The compile options are private, so that
# consumers do not inherit them.
function(gradus_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # The first two flags allow vectorised square roots and comparisons. -ffast-math would break checks for NaN. `omp simd` marks
  # loops whose sums may be reordered; OpenMP is not needed at run time. Clang would warn of each marked loop that it cannot
  # vectorise; -Wno-pass-failed turns this warning off.
  target_compile_options(${target} PRIVATE -fno-math-errno -fno-trapping-math -fopenmp-simd
                         $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
  if(GRADUS_NATIVE)
    target_compile_options(${target} PRIVATE -march=native)
  endif()
  if(GRADUS_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${GRADUS_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${GRADUS_SANITIZE})
  endif()
endfunction()

# gradus_precompile(target… GROUP name): compiles the headers of the standard library once for all targets of a group. The group's
# targets must have the same compiler flags. Without this, the compiler spends half of its time in these headers. Projects that use
# gradus, and the WebAssembly build, compile without it.
function(gradus_precompile)
  cmake_parse_arguments(ARG "" "GROUP" "" ${ARGN})
  if(NOT PROJECT_IS_TOP_LEVEL OR CMAKE_SYSTEM_NAME STREQUAL "WASI")
    return()
  endif()
  set(owner gradus_precompiled_${ARG_GROUP})
  if(NOT TARGET ${owner})
    list(GET ARG_UNPARSED_ARGUMENTS 0 first)
    add_library(${owner} OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/precompiled/nothing.cpp)
    gradus_flags(${owner})
    get_target_property(options ${first} COMPILE_OPTIONS)
    set_target_properties(${owner} PROPERTIES COMPILE_OPTIONS "${options}")
    get_target_property(type ${first} TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
    get_target_property(visibility ${first} CXX_VISIBILITY_PRESET)
    if(visibility)
      set_target_properties(${owner} PROPERTIES CXX_VISIBILITY_PRESET ${visibility})
    endif()
    target_precompile_headers(${owner} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/standard.hpp)
  endif()
  foreach(target IN LISTS ARG_UNPARSED_ARGUMENTS)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endforeach()
endfunction()

# gradus_library(name SOURCES … DEPENDS … [GROUP …]): defines the library of one folder, gradus::<name>. Public headers are in
# <name>/include/gradus/<name>/ and are included as <gradus/name/….hpp>. Private headers are included by their path relative
# to <name>/. Shared libraries export only the declarations of public headers (#pragma GCC visibility). A library whose compiler
# flags differ from the others' needs its own GROUP of gradus_precompile().
function(gradus_library name)
  cmake_parse_arguments(ARG "" "GROUP" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_GROUP)
    set(ARG_GROUP library)
  endif()
  add_library(gradus_${name} ${ARG_SOURCES})
  add_library(gradus::${name} ALIAS gradus_${name})
  set_target_properties(gradus_${name} PROPERTIES
    EXPORT_NAME ${name}
    CXX_VISIBILITY_PRESET hidden
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})  # must match COMPATIBILITY in GradusInstall.cmake
  target_include_directories(gradus_${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(gradus_${name} PUBLIC ${ARG_DEPENDS})
  gradus_flags(gradus_${name})
  gradus_precompile(gradus_${name} GROUP ${ARG_GROUP})
  gradus_install(gradus_${name} ${CMAKE_CURRENT_SOURCE_DIR}/include)
endfunction()
