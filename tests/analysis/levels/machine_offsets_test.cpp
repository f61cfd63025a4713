#include "analysis/levels/machine_offsets.hpp"

#include <algorithm>
#include <cmath>

#include "model/random.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

constexpr std::int64_t kDelayNs = 300'000;

struct Clocks {
  std::vector<std::int64_t> zero_ns;  // by machine
  TraceInfo info;
  MachineOffsets offsets;

  explicit Clocks(std::vector<std::int64_t> zeros) : zero_ns(std::move(zeros)) {
    for (std::uint16_t m = 0; m < zero_ns.size(); ++m) {
      info.machines.push_back({"machine", 1});
      info.processes.push_back({"process", "p", MachineId{m}, 0, true});
      info.channels.push_back({ProcessId{m}, ""});
    }
  }
  void note(EventType type, std::uint16_t machine, std::uint16_t peer, std::uint64_t sequence, std::int64_t true_ns) {
    Event event;
    event.type = type;
    event.machine = MachineId{machine};
    event.process = ProcessId{machine};
    event.peer = ProcessId{peer};
    event.channel = ChannelId{type == EventType::send ? peer : machine};
    event.sequence = sequence;
    event.local_time = {true_ns + zero_ns[machine]};
    offsets.note(event, info);
  }
  void message(std::uint16_t from, std::uint16_t to, std::uint64_t sequence, std::int64_t sent_ns,
               std::int64_t took_ns) {
    note(EventType::send, from, to, sequence, sent_ns);
    note(EventType::receive, to, from, sequence, sent_ns + took_ns);
  }
  std::int64_t run_ns(std::uint16_t machine, std::int64_t true_ns) const {
    return offsets.run_time(MachineId{machine}, {true_ns + zero_ns[machine]}).ns;
  }
};

}  // namespace

TEST_CASE("machine offsets: before any message first events are aligned, and that is a guess", "[levels]") {
  Clocks clocks({5'000, -7'000'000});
  clocks.note(EventType::start_process, 0, 0, 0, 100);
  clocks.note(EventType::start_process, 1, 1, 0, 9'000);
  clocks.offsets.settle();
  CHECK_FALSE(clocks.offsets.is_common());
  CHECK(clocks.run_ns(0, 100) == 0);
  CHECK(clocks.run_ns(1, 9'000) == 0);
  CHECK(clocks.offsets.local_time(MachineId{1}, {50}).ns == 9'050 - 7'000'000);
}

TEST_CASE("machine offsets: one machine needs no messages", "[levels]") {
  Clocks clocks({5'000, 0});
  clocks.note(EventType::start_process, 0, 0, 0, 100);
  clocks.offsets.settle();
  CHECK(clocks.offsets.is_common());
}

TEST_CASE("machine offsets: messages both ways put clocks within half a round trip", "[levels]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    std::vector<std::int64_t> zeros;
    for (int m = 0; m < 4; ++m) zeros.push_back(static_cast<std::int64_t>(random.below(1'000'000'000'000)));
    Clocks clocks(zeros);
    std::int64_t now_ns = 0;
    for (std::uint64_t i = 0; i < 4000; ++i) {
      const auto from = static_cast<std::uint16_t>(random.below(4));
      // A chain: each machine exchanges messages with its neighbours only.
      const auto to = static_cast<std::uint16_t>(from == 0 || (from < 3 && random.chance(.5)) ? from + 1 : from - 1);
      now_ns += static_cast<std::int64_t>(random.below(1'000'000));
      clocks.message(from, to, i, now_ns, kDelayNs + static_cast<std::int64_t>(random.exponential(1e6)));
    }
    clocks.offsets.settle();
    CHECK(clocks.offsets.is_common());
    for (std::uint16_t m = 1; m < 4; ++m)
      CHECK(std::abs(clocks.run_ns(m, now_ns) - clocks.run_ns(0, now_ns)) <= m * kDelayNs);
  }
}

TEST_CASE("machine offsets: messages that go in a circle only put clocks within half a lap", "[levels]") {
  Random random(1);
  constexpr std::uint16_t kMachines = 6;
  std::vector<std::int64_t> zeros;
  for (int m = 0; m < kMachines; ++m) zeros.push_back(static_cast<std::int64_t>(random.below(7'200'000'000'000)));
  Clocks clocks(zeros);
  std::int64_t now_ns = 0;
  for (std::uint64_t i = 0; i < 6000; ++i) {
    const auto from = static_cast<std::uint16_t>(i % kMachines);
    clocks.message(from, static_cast<std::uint16_t>((from + 1) % kMachines), i, now_ns,
                   kDelayNs + static_cast<std::int64_t>(random.exponential(1e6)));
    now_ns += 5'000'000;
  }
  clocks.offsets.settle();
  CHECK(clocks.offsets.is_common());
  std::vector<std::int64_t> shown;
  for (std::uint16_t m = 0; m < kMachines; ++m) shown.push_back(clocks.run_ns(m, now_ns));
  for (std::uint16_t m = 0; m < kMachines; ++m) {
    CHECK(std::abs(shown[m] - shown[0]) <= kMachines * kDelayNs / 2 + 200'000);
    // The quickest message takes no time at least.
    CHECK(shown[(m + 1u) % kMachines] - shown[m] >= -kDelayNs - 200'000);
  }
}

TEST_CASE("machine offsets: they follow clocks that drift", "[levels]") {
  Clocks clocks({0, 1'000'000'000});
  std::int64_t now_ns = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    now_ns += 20'000'000;
    clocks.zero_ns[1] += 2'000;  // 100 parts in a million
    clocks.message(static_cast<std::uint16_t>(i % 2), static_cast<std::uint16_t>(1 - i % 2), i, now_ns, kDelayNs);
  }
  clocks.offsets.settle();
  // By the drift of two minutes, and half a round trip.
  CHECK(std::abs(clocks.run_ns(1, now_ns) - clocks.run_ns(0, now_ns)) <= 12'000'000 + kDelayNs);
}
