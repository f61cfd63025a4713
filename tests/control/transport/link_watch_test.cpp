// When a meter counts as cut off from its filter.
#include "control/transport/link/link_watch.hpp"

#include "tests/support/catch.hpp"

namespace dpm::test {
namespace {

using namespace std::chrono_literals;

const LinkWatch::Clock::time_point kBegin{};

LinkWatch::Seen connected(std::uint64_t confirmed, std::uint64_t waiting) { return {true, confirmed, waiting, ""}; }
LinkWatch::Seen alone(std::uint64_t confirmed, std::uint64_t waiting, const std::string& problem) {
  return {false, confirmed, waiting, problem};
}

TEST_CASE("meter path: a link that never connects is reported after some seconds, and as events come to wait",
          "[meter-path]") {
  LinkWatch watch(kBegin);
  CHECK(!watch.look(kBegin + 1s, alone(0, 0, "")));
  CHECK(!watch.look(kBegin + 2s, alone(0, 0, "refused")));
  CHECK(watch.look(kBegin + 3s, alone(0, 0, "")) == LinkStatus{"no answer", 0, 0, ""});
  CHECK(!watch.look(kBegin + 4s, alone(0, 0, "")));
  CHECK(watch.look(kBegin + 5s, alone(0, 7, "refused")) == LinkStatus{"refused", 7, 0, ""});
  CHECK(watch.look(kBegin + 6s, connected(7, 0)) == LinkStatus{});
  CHECK(!watch.look(kBegin + 7s, connected(7, 0)));
}

TEST_CASE("meter path: a link that is soon connected again is not reported", "[meter-path]") {
  LinkWatch watch(kBegin);
  CHECK(!watch.look(kBegin + 1s, connected(5, 0)));
  CHECK(!watch.look(kBegin + 3s, alone(5, 10, "refused")));
  CHECK(!watch.look(kBegin + 5s, connected(15, 3)));
  CHECK(!watch.look(kBegin + 7s, alone(15, 10, "refused")));
  CHECK(watch.look(kBegin + 8s, alone(15, 10, "refused")) == LinkStatus{"refused", 10, 0, ""});
}

TEST_CASE("meter path: a connection through which nothing is confirmed is reported later than none", "[meter-path]") {
  LinkWatch watch(kBegin);
  CHECK(!watch.look(kBegin + 1s, connected(5, 5)));
  CHECK(!watch.look(kBegin + 8s, connected(5, 9)));
  const auto late = watch.look(kBegin + 9s, connected(5, 9));
  REQUIRE(late);
  CHECK(late->waiting == 9);
  CHECK(late->problem == "it is connected, but confirms nothing");
  CHECK(watch.look(kBegin + 10s, connected(6, 8)) == LinkStatus{});
}

}  // namespace
}  // namespace dpm::test
