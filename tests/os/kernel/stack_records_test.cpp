// Records of sampled call stacks: made by hand as perf_event_open(2) describes them, then cut and damaged.
#include "os/kernel/stack_records.hpp"

#include <linux/perf_event.h>

#include <cstring>
#include <random>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

using Kind = StackRecord::Kind;

class Bytes {
 public:
  template <typename Number>
  Bytes& add(Number number) {
    const auto* begin = reinterpret_cast<const std::byte*>(&number);
    bytes_.insert(bytes_.end(), begin, begin + sizeof number);
    return *this;
  }
  Bytes& add_text(const std::string& text) {
    for (const char character : text) bytes_.push_back(static_cast<std::byte>(character));
    do bytes_.push_back(std::byte{0});
    while (bytes_.size() % 8 != 0);
    return *this;
  }
  Bytes& add_task(std::uint32_t pid, std::uint32_t tid) { return add(pid).add(tid); }
  const std::vector<std::byte>& all() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> record_of(std::uint32_t type, const Bytes& body, std::uint16_t misc = 0) {
  const perf_event_header header = {type, misc, static_cast<std::uint16_t>(sizeof header + body.all().size())};
  std::vector<std::byte> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes.insert(bytes.end(), body.all().begin(), body.all().end());
  return bytes;
}

constexpr std::uint64_t kUser = static_cast<std::uint64_t>(PERF_CONTEXT_USER);
constexpr std::uint64_t kKernel = static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);

std::vector<std::byte> stack_of(const std::vector<std::uint64_t>& addresses) {
  Bytes body;
  body.add_task(7, 8).add(std::uint64_t{100}).add(std::uint64_t{addresses.size()});
  for (const std::uint64_t address : addresses) body.add(address);
  return record_of(PERF_RECORD_SAMPLE, body);
}

std::vector<std::byte> mapping() {
  Bytes body;
  body.add_task(7, 7).add(std::uint64_t{0x4000}).add(std::uint64_t{0x1000}).add(std::uint64_t{0x2000});
  body.add(std::uint32_t{8}).add(std::uint32_t{1}).add(std::uint64_t{99}).add(std::uint64_t{0}).add(std::uint64_t{5});
  body.add_text("/usr/bin/server").add_task(7, 7).add(std::uint64_t{50});
  return record_of(PERF_RECORD_MMAP2, body);
}

std::vector<std::byte> every_kind() {
  std::vector<std::byte> all;
  const auto add = [&](const std::vector<std::byte>& bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); };
  add(mapping());
  add(record_of(PERF_RECORD_COMM, Bytes().add_task(7, 7).add_text("server").add_task(7, 7).add(std::uint64_t{60}),
                PERF_RECORD_MISC_COMM_EXEC));
  add(record_of(PERF_RECORD_FORK,
                Bytes().add_task(9, 7).add_task(10, 7).add(std::uint64_t{70}).add_task(7, 7).add(std::uint64_t{70})));
  add(stack_of({kKernel, 0xffffffff81000000, kUser, 0x4010, 0x4020}));
  add(record_of(PERF_RECORD_LOST,
                Bytes().add(std::uint64_t{1}).add(std::uint64_t{12}).add_task(7, 7).add(std::uint64_t{110})));
  add(record_of(PERF_RECORD_THROTTLE, Bytes()
                                          .add(std::uint64_t{120})
                                          .add(std::uint64_t{1})
                                          .add(std::uint64_t{1})
                                          .add_task(7, 7)
                                          .add(std::uint64_t{120})));
  add(record_of(
      PERF_RECORD_EXIT,
      Bytes().add_task(9, 7).add_task(10, 7).add(std::uint64_t{130}).add_task(9, 10).add(std::uint64_t{130})));
  return all;
}

TEST_CASE("stack records: each kind has its fields", "[linux_kernel]") {
  std::vector<StackRecord> records;
  CHECK(read_stack_records(every_kind(), records) == 0);
  REQUIRE(records.size() == 7);
  CHECK(records[0].kind == Kind::mapping);
  CHECK(records[0].start == 0x4000);
  CHECK(records[0].end == 0x5000);
  CHECK(records[0].file_offset == 0x2000);
  CHECK(records[0].inode == 99);
  CHECK(records[0].text == "/usr/bin/server");
  CHECK(records[0].time_ns == 50);
  CHECK(records[1].text == "server");
  CHECK(records[1].is_exec);
  CHECK((records[2].pid == 9 && records[2].parent_pid == 7 && records[2].tid == 10));
  CHECK((records[3].pid == 7 && records[3].tid == 8 && records[3].time_ns == 100));
  CHECK(records[3].stack == std::vector<std::uint64_t>{0x4010, 0x4020});
  CHECK(records[4].lost == 12);
  CHECK(records[5].kind == Kind::throttled);
  CHECK((records[6].kind == Kind::ended && records[6].tid == 10));
}

TEST_CASE("stack records: a kind that is not known is passed over", "[linux_kernel]") {
  auto bytes = record_of(200, Bytes().add(std::uint64_t{1}));
  const auto known = mapping();
  bytes.insert(bytes.end(), known.begin(), known.end());
  std::vector<StackRecord> records;
  CHECK(read_stack_records(bytes, records) == 0);
  CHECK(records.size() == 1);
}

TEST_CASE("stack records: a stack that claims more frames than it has is damaged", "[linux_kernel]") {
  for (const std::uint64_t claimed : {std::uint64_t{3}, std::uint64_t{1} << 61, UINT64_MAX}) {
    const auto bytes = record_of(
        PERF_RECORD_SAMPLE, Bytes().add_task(7, 8).add(std::uint64_t{1}).add(claimed).add(kUser).add(std::uint64_t{4}));
    std::vector<StackRecord> records;
    CHECK(read_stack_records(bytes, records) == 1);
    CHECK(records.empty());
  }
}

TEST_CASE("stack records: wherever the bytes end, what is whole is read and the rest is counted", "[linux_kernel]") {
  const auto all = every_kind();
  std::size_t whole = 0, boundary = 0;
  for (std::size_t length = 0; length <= all.size(); ++length) {
    if (length > 0) {
      perf_event_header header = {};
      if (boundary + sizeof header <= all.size()) std::memcpy(&header, &all[boundary], sizeof header);
      if (header.size != 0 && length == boundary + header.size) {
        boundary = length;
        ++whole;
      }
    }
    std::vector<StackRecord> records;
    CHECK(read_stack_records(std::span(all).first(length), records) == (length == boundary ? 0 : 1));
    CHECK(records.size() == whole);
  }
}

TEST_CASE("stack records: a record that is too short for its kind is counted, and those behind it are read",
          "[linux_kernel]") {
  for (const std::uint32_t type : {PERF_RECORD_MMAP2, PERF_RECORD_COMM, PERF_RECORD_FORK, PERF_RECORD_EXIT,
                                   PERF_RECORD_LOST, PERF_RECORD_SAMPLE}) {
    for (std::size_t words = 0; words < 2; ++words) {
      Bytes body;
      for (std::size_t i = 0; i < words; ++i) body.add(std::uint64_t{1});
      auto bytes = record_of(type, body);
      const auto next = mapping();
      bytes.insert(bytes.end(), next.begin(), next.end());
      std::vector<StackRecord> records;
      CHECK(read_stack_records(bytes, records) == 1);
      REQUIRE(records.size() == 1);
      CHECK(records[0].text == "/usr/bin/server");
    }
  }
}

TEST_CASE("stack records: bytes of any value are read without a fault", "[linux_kernel]") {
  std::mt19937_64 random(1);
  const auto good = every_kind();
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = good;
    for (int i = 0; i < 4; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    std::vector<StackRecord> records;
    read_stack_records(bytes, records);
    CHECK(records.size() <= bytes.size() / sizeof(perf_event_header));
  }
}

}  // namespace
}  // namespace dpm
