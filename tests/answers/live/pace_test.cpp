// How often viewers are told, and what is answered twice.
#include "answers/live/latest_answers.hpp"
#include "answers/live/tick_pace.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::cli;
using std::chrono::milliseconds;

TEST_CASE("tick pace: news waits for twenty times what answers took, half a second at most", "[live]") {
  const TickPace::Clock::time_point begin{std::chrono::hours(1)};
  TickPace pace;
  CHECK(pace.may_tell(begin));
  pace.told(begin);
  CHECK(pace.may_tell(begin));  // no viewer asked
  pace.answered(milliseconds(4));
  pace.answered(milliseconds(6));
  CHECK_FALSE(pace.may_tell(begin + milliseconds(199)));
  CHECK(pace.may_tell(begin + milliseconds(200)));
  pace.answered(std::chrono::seconds(5));
  CHECK_FALSE(pace.may_tell(begin + milliseconds(499)));
  CHECK(pace.may_tell(begin + milliseconds(500)));
  pace.told(begin + milliseconds(500));
  CHECK(pace.may_tell(begin + milliseconds(501)));
}

TEST_CASE("latest answers: the same request of the same version has the same answer", "[live]") {
  LatestAnswers latest;
  const view::PageRequest request{"traffic", {{"from_s", 1}}}, other{"traffic", {{"from_s", 2}}};
  CHECK(latest.find(request, 1) == nullptr);
  latest.keep(request, {{{"span_s", 3}}, {}});
  REQUIRE(latest.find(request, 1) != nullptr);
  CHECK(latest.find(request, 1)->json.at("span_s") == 3);
  CHECK(latest.find(other, 1) == nullptr);
  CHECK(latest.find(request, 2) == nullptr);
  CHECK(latest.find(request, 1) == nullptr);
  for (std::size_t i = 0; i < 2 * LatestAnswers::kMost; ++i) latest.keep({"series", {{"width", i}}}, {});
  CHECK(latest.find({"series", {{"width", LatestAnswers::kMost - 1}}}, 1) != nullptr);
  CHECK(latest.find({"series", {{"width", LatestAnswers::kMost}}}, 1) == nullptr);
}
