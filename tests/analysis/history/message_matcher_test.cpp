#include "analysis/history/message_matcher.hpp"

#include <map>
#include <tuple>
#include <vector>

#include "analysis/history/growing_list.hpp"
#include "analysis/history/indexed_heap.hpp"
#include "analysis/history/pair_clocks.hpp"
#include "model/random.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

TEST_CASE("message matcher: does what a map does, through growth and erasure", "[history]") {
  MessageMatcher matcher;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> expected;
  Random random(3);
  for (std::uint32_t i = 0; i < 200'000; ++i) {
    // Few keys, so that the same come again; later more, so that the table grows.
    const MessageKey key{random.below(i < 100'000 ? 60 : 3000), static_cast<std::uint32_t>(random.below(5)),
                         static_cast<std::uint32_t>(random.below(5))};
    const auto tuple = std::make_tuple(key.sender, key.channel, key.sequence);
    auto* found = matcher.find(key);
    REQUIRE((found != nullptr) == expected.contains(tuple));
    if (found != nullptr) {
      REQUIRE(found->index == expected[tuple]);
      matcher.erase(found);
      expected.erase(tuple);
    } else {
      matcher.insert(key, MessageEnd::send, 1, i);
      expected[tuple] = i;
    }
    REQUIRE(matcher.waiting() == expected.size());
  }
}

TEST_CASE("growing list: gives back what was put in, in order", "[history]") {
  GrowingList<std::uint64_t> list;
  for (std::uint64_t i = 0; i < 100'000; ++i) list.push_back(i * i);
  for (const std::uint64_t i : {0ull, 15ull, 16ull, 47ull, 48ull, 99'999ull}) CHECK(list[i] == i * i);
  std::uint64_t next = 0;
  list.consume([&](std::uint64_t value) {
    REQUIRE(value == next * next);
    ++next;
  });
  CHECK(next == 100'000);
  CHECK(list.size() == 0);
}

TEST_CASE("indexed heap: the least is the least, however keys change", "[history]") {
  IndexedHeap heap;
  heap.reset(50);
  std::map<std::uint32_t, double> expected;
  Random random(5);
  for (int i = 0; i < 20'000; ++i) {
    const auto item = static_cast<std::uint32_t>(random.below(50));
    if (random.chance(.3)) {
      heap.erase(item);
      expected.erase(item);
    } else {
      const auto key = static_cast<double>(random.below(20));
      heap.set(item, key);
      expected[item] = key;
    }
    REQUIRE(heap.empty() == expected.empty());
    if (expected.empty()) continue;
    std::pair<double, std::uint32_t> least{1e9, 0};
    for (const auto& [candidate, key] : expected) least = std::min(least, {key, candidate});
    REQUIRE(heap.least() == least.second);
    REQUIRE(heap.least_key() == least.first);
  }
}

TEST_CASE("pair clocks: messages of one pair never overtake, and every round begins empty", "[history]") {
  PairClocks clocks;
  CHECK(clocks.arrive(1, 2, 100) == 100);
  CHECK(clocks.arrive(1, 2, 40) == 100);
  CHECK(clocks.arrive(2, 1, 40) == 40);
  CHECK(clocks.arrive(1, 2, 101) == 101);
  for (std::uint32_t i = 0; i < 1000; ++i) CHECK(clocks.arrive(i, 7, 10 + i) == 10 + i);
  CHECK(clocks.arrive(1, 2, 50) == 101);
  clocks.clear();
  CHECK(clocks.arrive(1, 2, 50) == 50);
}

TEST_CASE("pair clocks: any pairs in any order, as a map has them", "[history]") {
  Random random(3);
  PairClocks clocks;
  for (int round = 0; round < 50; ++round) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> last_ns;
    const auto processes = std::uint64_t{1} << random.below(24);
    for (int message = 0; message < 2000; ++message) {
      const auto sender = static_cast<std::uint32_t>(random.below(processes));
      const auto receiver = static_cast<std::uint32_t>(random.below(std::min<std::uint64_t>(processes, 50)));
      const auto arrival_ns = static_cast<std::int64_t>(random.below(1000));
      const auto known = last_ns.try_emplace({sender, receiver}, arrival_ns).first;
      known->second = std::max(known->second, arrival_ns);
      REQUIRE(clocks.arrive(sender, receiver, arrival_ns) == known->second);
    }
    clocks.clear();
  }
}

TEST_CASE("pair clocks: process numbers as large as they can be are told apart", "[history]") {
  PairClocks clocks;
  constexpr std::uint32_t kLargest = 0xfffffe;
  const std::vector<std::uint32_t> numbers = {0, 1, 7, 8, 1u << 20, (1u << 20) + 1, 1u << 23, kLargest - 8, kLargest};
  std::int64_t arrival_ns = 1'000'000;  // each less than those before
  for (const auto sender : numbers)
    for (const auto receiver : numbers) {
      --arrival_ns;
      REQUIRE(clocks.arrive(sender, receiver, arrival_ns) == arrival_ns);
    }
}
