# What `cmake --install` puts where, in three components: runtime (shared libraries), dev (what it takes to build against
# them) and tools (the command). No installed file knows a path of this machine: the tree may be moved.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gradus)

# gradus_install(target headers): a library of gradus, and the folder with its headers.
function(gradus_install target headers)
  if(NOT GRADUS_INSTALL)
    return()
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN)  # the others are beside it
  install(TARGETS ${target} EXPORT gradusTargets
    ARCHIVE COMPONENT dev
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${headers}/ TYPE INCLUDE COMPONENT dev)
endfunction()

# gradus_install_package(): what find_package(gradus CONFIG) and pkg-config read; once all libraries are there.
function(gradus_install_package)
  if(NOT GRADUS_INSTALL)
    return()
  endif()
  install(EXPORT gradusTargets NAMESPACE gradus:: DESTINATION ${config_dir} COMPONENT dev)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/gradusConfig.cmake.in gradusConfig.cmake
    INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO)
  # While the major version is 0, a minor one may break what was.
  write_basic_package_version_file(gradusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES
    ${PROJECT_BINARY_DIR}/gradusConfig.cmake
    ${PROJECT_BINARY_DIR}/gradusConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindOpenBLAS.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindoneDNN.cmake
    ${PROJECT_SOURCE_DIR}/cmake/Findutf8proc.cmake
    DESTINATION ${config_dir} COMPONENT dev)

  set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  set(prefix_from_pc /)
  cmake_path(RELATIVE_PATH prefix_from_pc BASE_DIRECTORY /${pc_dir})
  set(requires xtensor)
  if(NOT BUILD_SHARED_LIBS)
    string(APPEND requires " openblas libutf8proc")
    if(GRADUS_WITH_ONEDNN)
      set(extra_libs -ldnnl)  # it brings no file for pkg-config
    endif()
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/gradus.pc.in gradus.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/gradus.pc DESTINATION ${pc_dir} COMPONENT dev)
endfunction()
