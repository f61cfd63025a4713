// The numbers of the ends of messages between parts of a trace are joined as a search for each number would join them, and lanes give
// back what they were given.
#include "analysis/history/crossing_messages.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "model/random.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

using Numbers = std::vector<std::uint64_t>;

std::uint32_t searched(std::uint64_t send, const Numbers& receives) {
  const auto found = std::find(receives.begin(), receives.end(), send);
  return found == receives.end() ? JoinedLists::kNotReceived : static_cast<std::uint32_t>(found - receives.begin());
}

bool is_same(const LaneEnd& a, const LaneEnd& b) {
  return a.sequence == b.sequence && a.time_ns == b.time_ns && a.index == b.index && a.inferred == b.inferred;
}

}  // namespace

TEST_CASE("crossing messages: numbers with gaps and out of order are joined as by a search", "[history]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    Numbers sends, receives;
    std::uint64_t number = 0;
    for (int i = 0; i < 100; ++i) {
      number += 1 + random.below(3);
      if (random.below(10) > 0) sends.push_back(number);
      if (random.below(10) > 0) receives.push_back(number);
    }
    for (int i = 0; i < 20; ++i) {
      std::swap(receives[random.below(receives.size())], receives[random.below(receives.size())]);
      if (seed % 2 == 0) std::swap(sends[random.below(sends.size())], sends[random.below(sends.size())]);
    }
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
  CHECK(join_lists({5, 6}, {5, 6}).is_clear);
  CHECK_FALSE(join_lists({5, 6}, {5, 5}).is_clear);
  CHECK_FALSE(join_lists({5, 5}, {5, 6}).is_clear);
  CHECK(join_lists({6, 5}, {5, 6}).receive_of == std::vector<std::uint32_t>{1, 0});
  CHECK(join_lists({}, {}).is_clear);
}

TEST_CASE("end lanes: any ends come back, and most take a few bytes", "[history]") {
  Random random(1);
  EndLane lane, usual;
  std::vector<LaneEnd> ends;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    ends.push_back({random.next(), static_cast<std::int64_t>(random.next()), i * 4'000'000u, i % 3 == 0});
    lane.add(ends.back());
    usual.add({i, 50'000 * static_cast<std::int64_t>(i), 7 * i, false});
  }
  ends.push_back({0, std::numeric_limits<std::int64_t>::min(), 0xfffffffeu, false});
  lane.add(ends.back());
  ends.push_back(
      {std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::int64_t>::max(), 0xfffffffeu, true});
  lane.add(ends.back());
  const auto found = lane.ends();
  REQUIRE(found.size() == ends.size());
  CHECK(std::equal(found.begin(), found.end(), ends.begin(), is_same));
  CHECK(usual.bytes().size() < 6 * 1000);
}

TEST_CASE("end lanes: bytes of something else are refused", "[history]") {
  EndLane lane;
  lane.add({1, 2, 3, false});
  lane.add({1000, 2000, 3000, true});
  REQUIRE(ends_of(lane.bytes()).has_value());
  for (std::size_t bytes = 1; bytes < lane.bytes().size(); ++bytes)
    if (bytes != 3) CHECK_FALSE(ends_of(std::span(lane.bytes()).first(bytes)).has_value());
  CHECK_FALSE(ends_of(Bytes(30, std::byte{0xff})).has_value());
}
