#pragma once

// Catch2 3 where it is installed, otherwise 2 (Debian 12's).
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
