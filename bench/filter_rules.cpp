// links: dpm_filter dpm_trace
// What selection rules cost: matching events against compiled rules, compared with a plain pass that reads every
// event's cache line and adds up five of its fields. Goal: no rule set of the documents costs more than 3 plain passes.
#include <cstdio>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "filter/rules.hpp"
#include "model/event.hpp"
#include "model/random.hpp"
#include "trace/event_fields.hpp"

namespace {

constexpr std::uint64_t kEvents = 1u << 21;  // 128 MB: more than the caches hold

std::vector<dpm::Event> random_events() {
  dpm::Random random(1);
  std::vector<dpm::Event> events(kEvents);
  for (auto& event : events) {
    // As in a computation: mostly messages.
    event.type = random.chance(.9) ? dpm::kEventTypes[random.below(4)] : dpm::kEventTypes[random.below(10)];
    event.machine.value = static_cast<std::uint16_t>(random.below(8));
    event.process.value = static_cast<std::uint32_t>(random.below(100));
    event.peer.value = static_cast<std::uint32_t>(random.below(100));
    event.channel.value = static_cast<std::uint32_t>(random.below(300));
    event.local_time.ns = static_cast<std::int64_t>(random.below(1'000'000'000));
    event.length_bytes = static_cast<std::uint32_t>(random.below(2000));
  }
  return events;
}

[[gnu::noipa]] std::uint64_t plain_pass(std::span<const dpm::Event> events) {
  std::uint64_t sum = 0;
  for (const auto& event : events)
    sum += static_cast<std::uint64_t>(event.local_time.ns) + event.length_bytes + event.process.value +
           event.machine.value + static_cast<std::uint64_t>(event.type);
  return sum;
}

[[gnu::noipa]] std::uint64_t matching_pass(const dpm::RuleSet& rules, std::span<const dpm::Event> events) {
  std::uint64_t kept = 0;
  for (const auto& event : events)
    kept += rules.match(dpm::layout_index(event.type), reinterpret_cast<const std::byte*>(&event)) != dpm::kNotKept;
  return kept;
}

void compare(const std::string& name, const std::string& text, std::span<const dpm::Event> events) {
  const auto rules = dpm::RuleSet::compile(name, text, dpm::event_layouts()).value();
  constexpr int kTurns = 9;
  std::vector<double> plain_s, matching_s;
  std::uint64_t sum = 0, kept = 0;
  auto plain = [&] { sum = plain_pass(events); };
  auto matching = [&] { kept = matching_pass(rules, events); };
  for (int turn = 0; turn < kTurns; ++turn) {
    plain_s.push_back(dpm::seconds_of(plain));
    matching_s.push_back(dpm::seconds_of(matching));
  }
  const double ns = 1e9 / static_cast<double>(kEvents);
  std::printf("rules, %s: %.2f plain passes (goal 3; %.1f ns against %.1f ns an event, %.0f%% kept, sum %llx)\n",
              name.c_str(), dpm::median(matching_s) / dpm::median(plain_s), dpm::median(matching_s) * ns,
              dpm::median(plain_s) * ns, 100.0 * static_cast<double>(kept) / static_cast<double>(kEvents),
              static_cast<unsigned long long>(sum & 0xffff));
}

}  // namespace

int main() {
  const auto events = random_events();
  compare("none: everything is kept", "", events);
  compare("parallelism (thesis 5.2.3)", "type=Send, sendLink=#*, passLink=#*; type=Receive, passLink=#*", events);
  compare("queues (thesis 5.2.2)",
          "type=Send, channel=#*, code=#*; type=Receive, channel=#*; type=ReceiveCall; type=MessageQueued, code=#*",
          events);
  compare("figure 3.4", "machine=3, type=1, time>10000; machine=1, type=1, fromTask=20, toTask=30, channel=0", events);
  compare("four rules of three conditions on every event",
          "machine=3, time>500000000, pid<50; machine=4, time<500000000, pid>=50; machine!=5, pid>90, time>900000000; "
          "machine>=6, pid!=7, loadAverage=0",
          events);
  compare("field against field", "fromTask=toTask; fromTask<toTask, msgLength>1024", events);
  return 0;
}
