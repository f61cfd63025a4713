#include "backends/linux/calls/told_offset.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::int64_t kLaterNs = 2 * ToldOffset::kTogetherNs;

TEST_CASE("told offset: operations follow each other", "[linux][meter]") {
  ToldOffset end;
  CHECK(end.take(0, 10, 0, false).offset == 0);
  CHECK(end.take(10, 5, 1, false).offset == 10);
  CHECK(end.take(15, 1, 2, false).offset == 15);
  CHECK(end.end() == 0);
}

TEST_CASE("told offset: a stream that is met in its middle goes on there", "[linux][meter]") {
  ToldOffset end;
  CHECK(end.take(1000, 10, 0, false).offset == 1000);
  CHECK(end.take(1010, 10, 0, false).offset == 1010);
}

TEST_CASE("told offset: two threads that send at once leave no gap", "[linux][meter]") {
  ToldOffset end;
  end.take(0, 100, 0, false);
  CHECK(end.take(115, 10, 1000, false).gap_bytes == 0);  // the other one's 15 bytes are before it
  const auto second = end.take(100, 15, 1500, false);
  CHECK(second.offset == 110);
  CHECK(second.gap_bytes == 0);
  CHECK(end.take(125, 1, kLaterNs, false).gap_bytes == 0);
  CHECK(end.end() == 0);
}

TEST_CASE("told offset: bytes that stay missing are a gap", "[linux][meter]") {
  ToldOffset end;
  end.take(0, 10, 0, false);
  CHECK(end.take(60, 10, 1000, false).gap_bytes == 0);
  const auto later = end.take(70, 10, kLaterNs, false);
  CHECK(later.gap_bytes == 50);
  CHECK(later.offset == 70);
  CHECK(end.take(80, 10, 2 * kLaterNs, false).gap_bytes == 0);
}

TEST_CASE("told offset: after known losses a gap is seen at once, and at the end", "[linux][meter]") {
  ToldOffset end;
  end.take(0, 10, 0, false);
  const auto next = end.take(60, 10, 1000, true);
  CHECK(next.gap_bytes == 50);
  CHECK(next.offset == 60);
  ToldOffset other;
  other.take(0, 10, 0, false);
  other.take(60, 10, 1000, false);
  CHECK(other.end() == 50);
}

TEST_CASE("told offset: a count that began again is followed without a gap", "[linux][meter]") {
  ToldOffset end;
  end.take(0, 1000, 0, false);
  end.take(0, 10, 1, false);
  CHECK(end.take(10, 10, kLaterNs, false).gap_bytes == 0);
  CHECK(end.take(20, 10, 2 * kLaterNs, false).offset == 1020);
  CHECK(end.end() == 0);
}

TEST_CASE("told offset: the count wraps at 48 bits", "[linux][meter]") {
  const std::uint64_t last = (std::uint64_t{1} << ToldOffset::kBits) - 10;
  ToldOffset end;
  end.take(last, 20, 0, false);
  CHECK(end.take(10, 5, 1, false).offset == last + 20);
  CHECK(end.end() == 0);
}

// Threads operate one after the other on the stream, and their records come in another order, as those of calls that
// overlap: the pieces cover the stream without holes.
TEST_CASE("told offset: pieces cover the stream, in whatever order overlapping operations are told", "[linux][meter]") {
  const auto seed = GENERATE(range(1u, 30u));
  INFO("seed " << seed);
  std::mt19937 random(seed);
  struct Operation {
    std::uint64_t offset, bytes;
    std::int64_t told_at_ns;
  };
  std::vector<Operation> operations;
  std::uint64_t position = 0;
  std::int64_t now_ns = 0;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t bytes = 1 + random() % 100;
    now_ns += random() % 20'000;
    operations.push_back({position, bytes, now_ns + static_cast<std::int64_t>(random() % 50'000)});
    position += bytes;
  }
  std::stable_sort(operations.begin(), operations.end(),
                   [](const Operation& a, const Operation& b) { return a.told_at_ns < b.told_at_ns; });
  ToldOffset end;
  std::uint64_t expected = operations.front().offset;
  for (const Operation& operation : operations) {
    const auto placed = end.take(operation.offset, operation.bytes, operation.told_at_ns, false);
    CHECK(placed.gap_bytes == 0);
    CHECK(placed.offset == expected);
    expected += operation.bytes;
  }
}

}  // namespace
}  // namespace dpm
