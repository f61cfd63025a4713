#include "control/transport/frames/recent_set.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace dpm::test {
namespace {

TEST_CASE("recent set: a value is remembered until as many newer ones were added as there are places", "[wire]") {
  RecentSet<int> set(3);
  for (const int value : {1, 2, 3}) CHECK(set.add(value));
  for (const int value : {1, 2, 3}) {
    CHECK_FALSE(set.add(value));
    CHECK(set.contains(value));
  }
  CHECK(set.add(4));
  CHECK_FALSE(set.contains(1));
  for (const int value : {2, 3, 4}) CHECK(set.contains(value));
}

TEST_CASE("recent set: a value that is added again does not become younger", "[wire]") {
  RecentSet<std::string> set(2);
  CHECK(set.add("red"));
  CHECK(set.add("green"));
  CHECK_FALSE(set.add("red"));
  CHECK(set.add("blue"));
  CHECK_FALSE(set.contains("red"));
  CHECK(set.contains("green"));
}

TEST_CASE("recent set: what was forgotten can be added again", "[wire]") {
  RecentSet<int> set(1);
  CHECK(set.add(1));
  CHECK(set.add(2));
  CHECK(set.add(1));
  CHECK_FALSE(set.add(1));
  CHECK_FALSE(set.contains(2));
}

}  // namespace
}  // namespace dpm::test
