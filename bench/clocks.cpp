// links: dpm_clocks
// The clocks of 100 machines from 10^7 messages between any two of them, and from 10^7 that go around in a circle: matching
// the messages, and then the bounds of all pairs and one line for each clock.
#include "analysis/clocks/clocks.hpp"

#include <cstdio>
#include <random>
#include <vector>

#include "analysis/clocks/common_time.hpp"
#include "bench/measure.hpp"

namespace {

using namespace dpm;

constexpr std::uint32_t kMachines = 100;
constexpr std::uint32_t kMessages = 10'000'000;
constexpr std::size_t kBatch = 4096;

TraceInfo machines() {
  TraceInfo info;
  for (std::uint16_t m = 0; m < kMachines; ++m) {
    info.machines.push_back({"m" + std::to_string(m), 1});
    info.processes.push_back({"p" + std::to_string(m), "p", MachineId{m}, 0, true});
    info.channels.push_back({ProcessId{m}, ""});
  }
  return info;
}

// Clocks up to an hour and 200 parts in a million apart.
std::int64_t reading(std::uint32_t machine, std::int64_t true_ns) {
  return machine * 36'000'000'000 + true_ns + true_ns / 1'000'000 * (4 * static_cast<std::int64_t>(machine) - 200);
}

class Events {
 public:
  explicit Events(bool is_ring) : is_ring_(is_ring) {}

  // The SENDs and RECEIVEs of the next messages, in the order of true time.
  const std::vector<Event>& next() {
    batch_.clear();
    for (std::size_t i = 0; i < kBatch / 2; ++i) {
      const auto from = is_ring_ ? next_ % kMachines : static_cast<std::uint32_t>(random_() % kMachines);
      const auto to = static_cast<std::uint32_t>((from + 1 + (is_ring_ ? 0 : random_() % (kMachines - 1))) % kMachines);
      const std::int64_t took_ns = 20'000 + static_cast<std::int64_t>(random_() % 1'000'000);
      add(EventType::send, from, to, now_ns_);
      add(EventType::receive, to, from, now_ns_ + took_ns);
      now_ns_ += 10'000;
      ++next_;
    }
    return batch_;
  }

 private:
  void add(EventType type, std::uint32_t machine, std::uint32_t peer, std::int64_t true_ns) {
    Event event;
    event.type = type;
    event.process = ProcessId{machine};
    event.peer = ProcessId{peer};
    event.machine = MachineId{static_cast<std::uint16_t>(machine)};
    event.channel = ChannelId{type == EventType::send ? peer : machine};
    event.sequence = next_;
    event.local_time.ns = reading(machine, true_ns);
    batch_.push_back(event);
  }

  bool is_ring_;
  std::minstd_rand random_{1};
  std::uint32_t next_ = 0;
  std::int64_t now_ns_ = 0;
  std::vector<Event> batch_;
};

int measure(const char* what, bool is_ring) {
  const TraceInfo info = machines();
  ClockAnalysis analysis;
  analysis.on_begin(info);
  Events events(is_ring);
  double matching_s = 0;
  for (std::uint32_t done = 0; done < kMessages; done += kBatch / 2) {
    const auto& batch = events.next();
    auto add = [&] { analysis.on_events(batch); };
    matching_s += seconds_of(add);
  }
  auto find = [&] { analysis.on_end({}); };
  const double bounds_s = seconds_of(find);
  auto place = [&] { CommonTime time(analysis.result()); };
  const double lines_s = seconds_of(place);
  std::size_t known = 0;
  double widest_ns = 0;
  for (const ClockRelation& relation : analysis.result().relations) {
    known += relation.offset.more.has_both();
    if (relation.offset.more.has_both()) widest_ns = std::max(widest_ns, relation.offset.more.width());
  }
  std::printf(
      "clocks: 10^7 messages of %u machines, %s: %.1f s (%.1f s to match them, %.1f s for all bounds, %.1f s for one "
      "axis); %zu "
      "of %u offsets known, within %.3f ms\n",
      kMachines, what, matching_s + bounds_s + lines_s, matching_s, bounds_s, lines_s, known,
      kMachines * (kMachines - 1) / 2, widest_ns * 1e-6);
  return known == kMachines * (kMachines - 1) / 2 ? 0 : 1;
}

}  // namespace

int main() { return measure("any to any", false) + measure("in a circle", true); }
