// What a program has printed: kept in order up to a bound, and beyond it dropped and counted.
#include "control/agents/output_buffer.hpp"

#include <random>
#include <string>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

TEST_CASE("output buffer: what goes in comes out, each stream's in its order", "[daemon]") {
  OutputBuffer buffer(100);
  CHECK(buffer.empty());
  buffer.add(false, "one ");
  buffer.add(false, "two");
  buffer.add(true, "error");
  buffer.add(false, "three");
  const auto first = buffer.take(1000);
  CHECK_FALSE(first.is_error);
  CHECK(first.bytes == "one two");
  const auto second = buffer.take(2);
  CHECK(second.is_error);
  CHECK(second.bytes == "er");
  CHECK(buffer.take(1000).bytes == "ror");
  CHECK(buffer.take(1000).bytes == "three");
  CHECK(buffer.empty());
}

TEST_CASE("output buffer: what does not fit is dropped and counted where it is missing", "[daemon]") {
  OutputBuffer buffer(10);
  buffer.add(false, "0123456789abc");
  CHECK(buffer.is_full());
  buffer.add(true, "defg");
  CHECK(buffer.take(4).bytes == "0123");
  CHECK_FALSE(buffer.is_full());
  buffer.add(false, "xy");
  const auto rest = buffer.take(1000);
  CHECK(rest.bytes == "456789");
  CHECK(rest.dropped_bytes == 0);
  const auto after = buffer.take(1000);
  CHECK(after.bytes == "xy");
  CHECK(after.dropped_bytes == 7);
  CHECK(buffer.empty());
}

TEST_CASE("output buffer: what is dropped last is told without bytes", "[daemon]") {
  OutputBuffer buffer(3);
  buffer.add(false, "abcd");
  CHECK(buffer.take(10).bytes == "abc");
  CHECK_FALSE(buffer.empty());
  const auto last = buffer.take(10);
  CHECK(last.bytes.empty());
  CHECK(last.dropped_bytes == 1);
  CHECK(buffer.empty());
}

TEST_CASE("output buffer: the end of a program fits in any case", "[daemon]") {
  OutputBuffer buffer(3);
  buffer.add(false, "abc");
  buffer.add_anyway(true, "last words");
  CHECK(buffer.is_full());
  buffer.add(false, "x");
  CHECK(buffer.take(10).bytes == "abc");
  CHECK(buffer.take(10).bytes == "last words");
  CHECK(buffer.take(10).dropped_bytes == 1);
}

TEST_CASE("output buffer: bytes that came and bytes that were dropped are all there were", "[daemon]") {
  std::mt19937 random(7);
  OutputBuffer buffer(1000);
  std::uint64_t added = 0, taken = 0, dropped = 0;
  for (int step = 0; step < 10'000; ++step) {
    const std::string bytes(random() % 300, 'x');
    if (random() % 3 != 0) {
      buffer.add(random() % 2 == 0, bytes);
      added += bytes.size();
    } else {
      const auto piece = buffer.take(random() % 400 + 1);
      taken += piece.bytes.size();
      dropped += piece.dropped_bytes;
    }
  }
  while (!buffer.empty()) {
    const auto piece = buffer.take(17);
    taken += piece.bytes.size();
    dropped += piece.dropped_bytes;
  }
  CHECK(added == taken + dropped);
  CHECK(dropped > 0);
}

}  // namespace
}  // namespace dpm
