# Install rules in three components: runtime (shared libraries), dev (headers, CMake and pkg-config files) and tools (the
# command). Installed files contain no absolute paths, so that the installed tree can be moved.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gradus)

# gradus_install(target headers): installs a library and its folder of headers.
function(gradus_install target headers)
  if(NOT GRADUS_INSTALL)
    return()
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN)  # all libraries are in one folder
  install(TARGETS ${target} EXPORT gradusTargets
    ARCHIVE COMPONENT dev
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${headers}/ TYPE INCLUDE COMPONENT dev)
endfunction()

# gradus_install_package(): installs the files for find_package(gradus CONFIG) and pkg-config. Call it after all libraries
# are defined.
function(gradus_install_package)
  if(NOT GRADUS_INSTALL)
    return()
  endif()
  install(EXPORT gradusTargets NAMESPACE gradus:: DESTINATION ${config_dir} COMPONENT dev)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/gradusConfig.cmake.in gradusConfig.cmake
    INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO)
  # Before 1.0, a minor version may break compatibility.
  write_basic_package_version_file(gradusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES
    ${PROJECT_BINARY_DIR}/gradusConfig.cmake
    ${PROJECT_BINARY_DIR}/gradusConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindHttplib.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindOpenBLAS.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindoneDNN.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindSentencePiece.cmake
    ${PROJECT_SOURCE_DIR}/cmake/Findutf8proc.cmake
    DESTINATION ${config_dir} COMPONENT dev)

  set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  set(prefix_from_pc /)
  cmake_path(RELATIVE_PATH prefix_from_pc BASE_DIRECTORY /${pc_dir})
  set(requires xtensor)
  set(extra_libs)
  if(NOT BUILD_SHARED_LIBS)
    string(APPEND requires " openblas libutf8proc")
    if(GRADUS_WITH_ZLIB)
      string(APPEND requires " zlib")
    endif()
    if(GRADUS_WITH_SENTENCEPIECE)
      string(APPEND extra_libs " -lsentencepiece")  # Debian 13's pkg-config file requires a package that is not installed
    endif()
    if(GRADUS_WITH_ONEDNN)
      string(APPEND extra_libs " -ldnnl")  # Debian's package has no pkg-config file
    endif()
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/gradus.pc.in gradus.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/gradus.pc DESTINATION ${pc_dir} COMPONENT dev)
endfunction()
