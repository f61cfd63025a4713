#include "model/counted.hpp"

#include "tests/support/catch.hpp"

TEST_CASE("counted: one thing has the singular, any other number the plural", "[model]") {
  using dpm::counted;
  CHECK(counted(0, "message") == "0 messages");
  CHECK(counted(1, "message") == "1 message");
  CHECK(counted(2, "message") == "2 messages");
  CHECK(counted(3, "process") == "3 processes");
  CHECK(counted(4, "activity") == "4 activities");
  CHECK(counted(5, "delay") == "5 delays");
  CHECK(counted(1, "activity") == "1 activity");
  CHECK(counted(12'345'678'901, "lost byte") == "12345678901 lost bytes");
}
