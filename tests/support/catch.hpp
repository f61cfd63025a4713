// The one place that knows which Catch2 we have (2.x).
#pragma once

#include <catch2/catch.hpp>
