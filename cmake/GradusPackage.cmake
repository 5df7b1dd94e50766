# Debian packages of a build with shared libraries, one package for each component of GradusInstall.cmake.
# `cmake --workflow --preset package` makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR gradus)
set(CPACK_PACKAGE_CONTACT "gradus developers <gradus@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime dev tools)
set(CPACK_COMPONENT_DEV_DEPENDS runtime)
set(CPACK_COMPONENT_TOOLS_DEPENDS runtime)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)  # the packages depend on each other in the same version
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
foreach(library IN ITEMS files autograd nn data plot graph models speech compress distributed serve tools)
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/${library})
endforeach()

# The name of a Debian library package ends with the version in the library's soname.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libgradus${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "The shared libraries.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libgradus-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS libxtensor-dev)
set(CPACK_COMPONENT_DEV_DESCRIPTION "The headers, and the CMake and pkg-config files.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME gradus-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
  "The gradus command: trains small translation models with attention, translates, evaluates, and shows attention weights.")
foreach(component IN ITEMS RUNTIME DEV TOOLS)
  string(TOLOWER ${component} name)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright COMPONENT ${name}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${component}_PACKAGE_NAME})
endforeach()
include(CPack)
