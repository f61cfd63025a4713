#include "formats/export/clock_text.hpp"

#include <fmt/format.h>

#include <random>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

std::string printed_plainly(const VectorClock& clock, const std::vector<std::string>& keys) {
  std::string text;
  clock.for_each([&](std::uint32_t process, std::uint32_t count) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", keys[process], count);
  });
  return text;
}

TEST_CASE("clock text: what is kept from event to event is what would be printed again", "[export]") {
  constexpr std::uint32_t kProcesses = 60;
  std::vector<std::string> keys;
  for (std::uint32_t p = 0; p < kProcesses; ++p) keys.push_back(fmt::format("\"p{}\"", p));
  for (const std::uint32_t known : {1u, 5u, kProcesses}) {  // a clock is a list, and an array where it knows many
    std::mt19937 random(known);
    VectorClock clock;
    ClockText text;
    std::vector<std::uint32_t> counts(kProcesses);
    for (int event = 0; event < 3000; ++event) {
      const std::uint32_t process = static_cast<std::uint32_t>(random()) % known;
      counts[process] += 1 + (random() % 50 == 0 ? 900 : 0);  // digits are added at once, too
      clock.raise(process, counts[process]);
      REQUIRE(text.print(clock, keys) == printed_plainly(clock, keys));
    }
  }
}

TEST_CASE("clock text: a clock that knows nothing is an empty text", "[export]") {
  ClockText text;
  CHECK(text.print({}, {}).empty());
}

}  // namespace
}  // namespace dpm
