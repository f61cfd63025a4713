// The two lists of the ends of messages between parts of a trace are joined as a search for each number would join them.
#include "analysis/history/crossing_messages.hpp"

#include <algorithm>
#include <vector>

#include "model/random.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

OpenEnd end_of(std::uint32_t sender, std::uint32_t channel, std::uint64_t sequence, bool receives) {
  OpenEnd end;
  end.key = {sequence, sender, channel};
  end.receives = receives;
  return end;
}

std::uint32_t searched(const OpenEnd& send, const std::vector<OpenEnd>& receives) {
  for (std::uint32_t i = 0; i < receives.size(); ++i)
    if (receives[i].key == send.key) return i;
  return JoinedLists::kNotReceived;
}

}  // namespace

TEST_CASE("crossing messages: lists with gaps and out of order are joined as by a search", "[history]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    std::vector<OpenEnd> sends, receives;
    std::uint64_t number[3][2] = {};
    for (int i = 0; i < 200; ++i) {
      const auto sender = static_cast<std::uint32_t>(random.below(3)),
                 channel = static_cast<std::uint32_t>(random.below(2));
      const std::uint64_t sequence = number[sender][channel] += 1 + random.below(3);
      if (random.below(10) > 0) sends.push_back(end_of(sender, channel, sequence, false));
      if (random.below(10) > 0) receives.push_back(end_of(sender, channel, sequence, true));
    }
    for (int i = 0; i < 20; ++i)
      std::swap(receives[random.below(receives.size())], receives[random.below(receives.size())]);
    const JoinedLists joined = join_lists(sends, receives);
    REQUIRE(joined.is_clear);
    std::vector<bool> is_sent(receives.size());
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const std::uint32_t expected = searched(sends[i], receives);
      CHECK(joined.receive_of[i] == expected);
      if (expected != JoinedLists::kNotReceived) is_sent[expected] = true;
    }
    CHECK(joined.is_sent == is_sent);
  }
}

TEST_CASE("crossing messages: an end that came twice is not clear", "[history]") {
  const std::vector<OpenEnd> sends = {end_of(1, 2, 5, false), end_of(1, 2, 6, false)};
  const std::vector<OpenEnd> receives = {end_of(1, 2, 5, true), end_of(1, 2, 6, true)};
  CHECK(join_lists(sends, receives).is_clear);
  CHECK_FALSE(join_lists(sends, {receives[0], receives[0]}).is_clear);
  CHECK_FALSE(join_lists({sends[0], sends[0]}, receives).is_clear);
  CHECK(join_lists({sends[1], sends[0]}, receives).receive_of == std::vector<std::uint32_t>{1, 0});
  CHECK(join_lists({}, {}).is_clear);
}
