// Machines with clocks whose truth is known, and messages between them, as a trace shows both.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/random.hpp"
#include "tests/support/memory_source.hpp"

namespace dpm::test {

struct TrueClock {
  std::int64_t offset_ns = 0;
  double drift = 0;  // 1e-6 is a part in a million
  std::int64_t tick_ns = 1;
  std::int64_t step_at_ns = INT64_MAX, step_ns = 0;  // by true time

  long double exact(std::int64_t true_ns) const {
    return static_cast<long double>(offset_ns) +
           static_cast<long double>(true_ns) * (1 + static_cast<long double>(drift)) +
           (true_ns >= step_at_ns ? step_ns : 0);
  }
  std::int64_t reading(std::int64_t true_ns) const {
    const auto ticks = std::floor(exact(true_ns) / static_cast<long double>(tick_ns));
    return static_cast<std::int64_t>(ticks) * tick_ns;
  }
};

class TrueClocks {
 public:
  explicit TrueClocks(std::vector<TrueClock> clocks) : clocks_(std::move(clocks)) {
    for (std::size_t m = 0; m < clocks_.size(); ++m) {
      recording.info.machines.push_back({.name = "m" + std::to_string(m)});
      ProcessInfo process;
      process.name = "p" + std::to_string(m);
      process.machine = MachineId{static_cast<std::uint16_t>(m)};
      recording.info.processes.push_back(process);
      recording.info.channels.push_back({ProcessId{static_cast<std::uint32_t>(m)}, "to " + process.name});
    }
  }

  // Sent and received at these true times.
  void message(std::size_t from, std::size_t to, std::int64_t sent_ns, std::int64_t received_ns) {
    Event& send = event(EventType::send, from, sent_ns);
    send.peer = ProcessId{static_cast<std::uint32_t>(to)};
    send.channel = ChannelId{static_cast<std::uint32_t>(to)};
    send.sequence = ++messages_;
    Event& receive = event(EventType::receive, to, received_ns);
    receive.peer = ProcessId{static_cast<std::uint32_t>(from)};
    receive.channel = ChannelId{static_cast<std::uint32_t>(to)};
    receive.sequence = messages_;
  }

  // `count` messages at any time in a run of that length, between the pairs that `may_talk` allows, with delays that
  // are sometimes short.
  template <typename MayTalk>
  void converse(Random& random, std::size_t count, std::int64_t run_ns, MayTalk may_talk) {
    for (std::size_t i = 0; i < count;) {
      const std::size_t from = random.below(clocks_.size()), to = random.below(clocks_.size());
      if (from == to || !may_talk(from, to)) continue;
      const auto sent = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(run_ns)));
      message(from, to, sent, sent + 10'000 + static_cast<std::int64_t>(random.exponential(200'000)));
      ++i;
    }
    // Each process performs its events in the order of true time.
    order();
  }

  void order() {
    std::vector<std::size_t> places(recording.events.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return true_ns_[a] < true_ns_[b]; });
    std::vector<Event> events;
    std::vector<std::int64_t> times;
    for (const auto place : places) {
      events.push_back(recording.events[place]);
      times.push_back(true_ns_[place]);
    }
    recording.events = std::move(events);
    true_ns_ = std::move(times);
    recording.losses.seen = recording.events.size();
  }

  const TrueClock& clock(std::size_t machine) const { return clocks_[machine]; }
  // b's clock minus a's, when a's reads `a_ns`.
  long double offset(std::size_t a, std::size_t b, std::int64_t a_ns) const {
    const TrueClock& of_a = clocks_[a];
    const long double rate = 1 + static_cast<long double>(of_a.drift);
    const long double true_ns = (static_cast<long double>(a_ns) - static_cast<long double>(of_a.offset_ns)) / rate;
    const TrueClock& of_b = clocks_[b];
    return static_cast<long double>(of_b.offset_ns) + true_ns * (1 + static_cast<long double>(of_b.drift)) -
           static_cast<long double>(a_ns);
  }
  double drift(std::size_t a, std::size_t b) const { return (1 + clocks_[b].drift) / (1 + clocks_[a].drift) - 1; }

  Recording recording;

 private:
  Event& event(EventType type, std::size_t machine, std::int64_t true_ns) {
    Event made;
    made.type = type;
    made.process = ProcessId{static_cast<std::uint32_t>(machine)};
    made.machine = MachineId{static_cast<std::uint16_t>(machine)};
    made.local_time.ns = clocks_[machine].reading(true_ns);
    recording.events.push_back(made);
    true_ns_.push_back(true_ns);
    return recording.events.back();
  }

  std::vector<TrueClock> clocks_;
  std::vector<std::int64_t> true_ns_;  // by event
  std::uint64_t messages_ = 0;
};

}  // namespace dpm::test
