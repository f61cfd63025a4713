// The figures of the thesis, with the scenario file as shipped: the regression test of the calibration. Tolerances are
// those the study claims (scenarios/file-system/README.md).
#include <algorithm>
#include <array>

#include "tests/scenarios/file-system/study.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// In the order of kFour.
constexpr std::array<double, 4> kCpuPercent = {30, 51, 1, 18};
constexpr std::array<double, 4> kSentPercent = {27, 33, 2, 38};
constexpr std::array<double, 4> kBytesPercent = {40, 42, 0, 17};

void check_percents(const std::map<std::string, double>& obtained, const std::array<double, 4>& published,
                    double margin) {
  for (std::size_t i = 0; i < kFour.size(); ++i) {
    INFO(kFour[i]);
    CHECK(obtained.at(kFour[i]) == Approx(published[i]).margin(margin));
  }
}

// How far single runs may be off: `slack` times the tolerance.
void check_figures(const Figures& figures, double slack) {
  CHECK(figures.no_delay == Approx(1.65).margin(.05 * slack));
  CHECK(figures.traced_delay == Approx(1.43).margin(.05 * slack));
  CHECK(figures.traced == Approx(1.21).margin(.05 * slack));
  CHECK(figures.alone == Approx(1.07).margin(.05 * slack));
  CHECK(figures.together == Approx(.95).margin(.05 * slack));
  check_percents(figures.cpu_percent, kCpuPercent, 3 * slack);
  check_percents(figures.sent_percent, kSentPercent, 3 * slack);
  check_percents(figures.bytes_percent, kBytesPercent, 5 * slack);
  CHECK(figures.disk_after_request == Approx(.27).margin(.03 * slack));
  CHECK(figures.disk_after_disk == Approx(.17).margin(.03 * slack));
  CHECK(figures.directory_after_user == Approx(.04).margin(.03 * slack));
  CHECK(figures.events == Approx(10000).epsilon(.1));
}

}  // namespace

TEST_CASE("file system: P, shares and branching of the run as it is shipped are those of the thesis", "[file-system]") {
  check_figures(measure(file_system().seed), 1);
}

TEST_CASE("file system: another seed gives the same figures, nearly", "[file-system]") {
  const std::uint64_t seeds = fewer_if_sanitized(9, 1, "other seeds");
  for (std::uint64_t seed = 2; seed <= 1 + seeds; ++seed) {
    INFO("seed " << seed);
    check_figures(measure(seed), 1.25);
  }
}

TEST_CASE("file system: P is greatest with four users, and the queue grows with each further one", "[file-system]") {
  constexpr std::size_t kUsers = 7;
  const std::uint64_t seeds = fewer_if_sanitized(10, 1, "seeds");
  std::array<double, kUsers + 1> P{}, simulated_P{}, queue{};
  for (std::size_t users = 1; users <= kUsers; ++users) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Figures figures = measure(seed, {{"users", static_cast<double>(users)}});
      const auto weight = 1 / static_cast<double>(seeds);
      P[users] += figures.traced * weight;
      simulated_P[users] += figures.simulated_P * weight;
      queue[users] += figures.queue_mean * weight;
    }
  }
  CHECK(std::max_element(P.begin(), P.end()) - P.begin() == 4);
  CHECK(std::max_element(simulated_P.begin(), simulated_P.end()) - simulated_P.begin() == 4);
  for (std::size_t users = 1; users <= 4; ++users) CHECK(queue[users] < .3);
  for (std::size_t users = 5; users <= kUsers; ++users) {
    INFO(users << " users");
    CHECK(queue[users] - queue[users - 1] > .7);
    CHECK(queue[users] - queue[users - 1] < 1.3);
  }
}
