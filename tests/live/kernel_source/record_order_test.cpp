#include "backends/linux/bpf/record_order.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "backends/linux/bpf/kernel_record.h"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

dpm_record record_at(std::uint64_t time_ns, std::uint32_t number) {
  dpm_record record = {};
  record.kind = dpm_sent;
  record.time_ns = time_ns & ((std::uint64_t{1} << 56) - 1);
  record.tid = number;
  return record;
}

void add(RecordOrder& order, const dpm_record& record, bool is_news = false) {
  order.add({reinterpret_cast<const std::byte*>(&record), sizeof record}, is_news);
}

std::vector<std::uint32_t> numbers_of(const std::vector<RecordOrder::Record>& records) {
  std::vector<std::uint32_t> numbers;
  for (const auto& bytes : records) {
    dpm_record record = {};
    REQUIRE(bytes.size() == sizeof record);
    std::memcpy(&record, bytes.data(), sizeof record);
    numbers.push_back(record.tid);
  }
  return numbers;
}

TEST_CASE("eBPF source: a record that becomes visible late still comes in its place", "[linux][kernel_source]") {
  RecordOrder order;
  add(order, record_at(101, 2));
  CHECK(numbers_of(order.up_to(100)).empty());
  CHECK(order.holds_some());
  add(order, record_at(99, 1));
  CHECK(numbers_of(order.up_to(200)) == std::vector<std::uint32_t>{1, 2});
  CHECK_FALSE(order.holds_some());
}

TEST_CASE("eBPF source: what describes comes before what it describes", "[linux][kernel_source]") {
  RecordOrder order;
  add(order, record_at(50, 2));
  add(order, record_at(60, 3));
  add(order, record_at(50, 1), true);
  add(order, record_at(0, 0), true);  // a description without a time
  CHECK(numbers_of(order.up_to(40)) == std::vector<std::uint32_t>{0});
  CHECK(numbers_of(order.up_to(60)) == std::vector<std::uint32_t>{1, 2, 3});
}

// The slow way: look for the oldest again and again.
TEST_CASE("eBPF source: each record comes once, the oldest first, equal ones in turn", "[linux][kernel_source]") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  RecordOrder order;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> waiting;
  std::uint32_t number = 0;
  for (std::uint64_t until_ns = 0; until_ns < 1000; until_ns += random() % 50) {
    for (auto added = random() % 20; added > 0; --added) {
      const std::uint64_t time_ns = until_ns + random() % 100;
      add(order, record_at(time_ns, number));
      waiting.emplace_back(time_ns, number++);
    }
    std::vector<std::uint32_t> expected;
    for (;;) {
      const auto oldest = std::min_element(waiting.begin(), waiting.end());
      if (oldest == waiting.end() || oldest->first > until_ns) break;
      expected.push_back(oldest->second);
      waiting.erase(oldest);
    }
    CHECK(numbers_of(order.up_to(until_ns)) == expected);
    CHECK(order.holds_some() != waiting.empty());
  }
}

}  // namespace
}  // namespace dpm
