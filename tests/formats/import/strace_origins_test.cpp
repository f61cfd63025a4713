#include "formats/strace/strace_origins.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

// Follows the makers of each process by itself.
StraceBeginning slow_beginning(const std::vector<StraceOrigin>& origins, ProcessId id) {
  StraceBeginning beginning{id, {}};
  bool in_group = true;
  for (ProcessId at = id; !at.is_none(); at = origins[at.value].maker) {
    const StraceOrigin& origin = origins[at.value];
    if (in_group) beginning.first_thread = at;
    in_group = in_group && origin.is_thread;
    if (beginning.program.empty()) beginning.program = origin.program;
  }
  return beginning;
}

TEST_CASE("strace origins: groups and programs come from the makers, told in any order", "[import]") {
  std::mt19937 random{7};
  const auto draw = [&](std::size_t below) { return static_cast<std::uint32_t>(random() % below); };
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t count = 1 + draw(40);
    std::vector<std::uint32_t> order(count);  // in which they were created; the log saw them in another
    for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    std::vector<StraceOrigin> origins(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      StraceOrigin& origin = origins[order[i]];
      if (i > 0 && draw(8) > 0) origin = {ProcessId{order[draw(i)]}, draw(2) == 0, {}};
      if (origin.maker.is_none() || draw(4) == 0) origin.program = "program " + std::to_string(i);
    }
    const auto beginnings = strace_beginnings(origins);
    REQUIRE(beginnings.size() == count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const StraceBeginning expected = slow_beginning(origins, ProcessId{i});
      CHECK(beginnings[i].first_thread == expected.first_thread);
      CHECK(beginnings[i].program == expected.program);
    }
  }
}

TEST_CASE("strace origins: one of a circle counts as not known", "[import]") {
  const std::vector<StraceOrigin> origins = {
      {ProcessId{1}, true, {}}, {ProcessId{2}, true, {}}, {ProcessId{0}, true, {}}, {ProcessId{3}, true, "self"}};
  const auto beginnings = strace_beginnings(origins);
  const ProcessId first = beginnings[0].first_thread;
  CHECK(first.value < 3);
  for (std::uint32_t i = 0; i < 3; ++i) CHECK(beginnings[i].first_thread == first);
  CHECK(beginnings[3].first_thread == ProcessId{3});
  CHECK(beginnings[3].program == "self");
}

}  // namespace
}  // namespace dpm
