// The only file that depends on the version of Catch2 (2.x).
#pragma once

#include <catch2/catch.hpp>
