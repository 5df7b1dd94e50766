#pragma once

// Catch2 version 3 if it is installed, otherwise version 2 (Debian 12).
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
