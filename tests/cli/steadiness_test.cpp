#include "cli/calibrate/steadiness.hpp"

#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::cli;

namespace {

constexpr double kUs = 1e-6;

}  // namespace

TEST_CASE("steadiness: quartiles that are near each other are narrow, by share or by size", "[cli]") {
  CHECK(steadiness_of({10 * kUs, 9 * kUs, 10.9 * kUs}) == Steadiness::narrow);
  CHECK(steadiness_of({.1 * kUs, 0, .3 * kUs}) == Steadiness::narrow);
  CHECK(steadiness_of({10 * kUs, 8 * kUs, 12 * kUs}) == Steadiness::wide);
  CHECK(steadiness_of({10 * kUs, 5 * kUs, 15 * kUs}) == Steadiness::unusable);
  CHECK(steadiness_of({12 * kUs, 0, 495 * kUs}) == Steadiness::unusable);
  CHECK(steadiness_of({}) == Steadiness::narrow);
}

TEST_CASE("steadiness: what is not steady is named with what it is measured with", "[cli]") {
  TransportFigures figures;
  figures.local_round_trip[64] = {20 * kUs, 19 * kUs, 21 * kUs};
  figures.metered_call_cpu = {.5 * kUs, 0, 3 * kUs};
  figures.wake_ups.push_back({.idle = {130 * kUs, 120 * kUs, 140 * kUs}, .delivery = {14 * kUs, 12 * kUs, 16 * kUs}});
  const auto unsteady = unsteady_figures(figures);
  REQUIRE(unsteady.size() == 2);
  CHECK(unsteady[0].group == FigureGroup::two_cores);
  CHECK(unsteady[0].what == "waking a core that was idle for 130.00 us: delay of the message");
  CHECK(unsteady[0].is_usable);
  CHECK(unsteady[1].group == FigureGroup::metering);
  CHECK_FALSE(unsteady[1].is_usable);
}
