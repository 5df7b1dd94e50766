# gradus_flags(target): the flags of every target of the project. Private, so that nothing is forced on a consumer.
function(gradus_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # Let loops with a square root or a comparison vectorise. Not -ffast-math, under which a NaN passes unseen.
  # `omp simd` marks sums that may be reordered; it needs no OpenMP at run time.
  # Clang warns of each loop of these that it does not vectorise after all: -Wpass-failed.
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

# gradus_library(name SOURCES … DEPENDS …): the library of one folder, gradus::<name>. Its public headers live in
# <name>/include/gradus/<name>/ and are included as <gradus/name/….hpp>. They say what a shared library shows
# (#pragma GCC visibility); all else is hidden.
function(gradus_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(gradus_${name} ${ARG_SOURCES})
  add_library(gradus::${name} ALIAS gradus_${name})
  set_target_properties(gradus_${name} PROPERTIES
    EXPORT_NAME ${name}
    CXX_VISIBILITY_PRESET hidden
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})  # as COMPATIBILITY in GradusInstall.cmake
  target_include_directories(gradus_${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(gradus_${name} PUBLIC ${ARG_DEPENDS})
  gradus_flags(gradus_${name})
  gradus_install(gradus_${name} ${CMAKE_CURRENT_SOURCE_DIR}/include)
endfunction()
