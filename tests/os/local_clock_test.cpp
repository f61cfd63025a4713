#include "os/local_clock.hpp"

#include "tests/support/catch.hpp"

namespace dpm {

TEST_CASE("local clock: what a time namespace adds is known", "[os]") {
  CHECK(namespace_offset_ns("monotonic      500000         7\nboottime       500001         0\n") ==
        500'000'000'000'007);
  CHECK(namespace_offset_ns("monotonic         -2         0\nboottime           0         0\n") == -2'000'000'000);
  CHECK(namespace_offset_ns("") == 0);
}

}  // namespace dpm
