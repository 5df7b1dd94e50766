# Defines Httplib::Httplib: cpp-httplib, with the preprocessor definitions of the installed library.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(Httplib_PC QUIET IMPORTED_TARGET GLOBAL cpp-httplib)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Httplib REQUIRED_VARS Httplib_PC_VERSION VERSION_VAR Httplib_PC_VERSION)
if(Httplib_FOUND AND NOT TARGET Httplib::Httplib)
  # In newer versions (Debian 13), functions in the header call libcrypto. So a program that includes the header must link
  # libcrypto.
  if("${Httplib_PC_CFLAGS_OTHER}" MATCHES CPPHTTPLIB_OPENSSL_SUPPORT)
    find_package(OpenSSL REQUIRED)
    target_link_libraries(PkgConfig::Httplib_PC INTERFACE OpenSSL::Crypto)
  endif()
  add_library(Httplib::Httplib ALIAS PkgConfig::Httplib_PC)
endif()
