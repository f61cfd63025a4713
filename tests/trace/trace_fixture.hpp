// Traces for tests: random Events as model/event.hpp defines them, and a directory that removes itself.
#pragma once

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "filter/event_filter.hpp"
#include "model/random.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_reader.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dpm-test-XXXXXX").string();
    DPM_CHECK(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return fmt::format("{}/{}", path_, name); }

 private:
  std::string path_;
};

inline TraceInfo small_info(std::size_t machines, std::size_t processes, std::size_t channels) {
  TraceInfo info;
  info.source = "test";
  info.properties = {.delays_known = true, .metering_takes_time = true};
  info.scenario = "random \"quoted\" events";
  info.seed = 7;
  info.delays = DelayModel::demos_vax();
  for (std::size_t i = 0; i < machines; ++i) info.machines.push_back({"m" + std::to_string(i), 1});
  for (std::size_t i = 0; i < processes; ++i)
    info.processes.push_back(
        {"p" + std::to_string(i), "program", MachineId{static_cast<std::uint16_t>(i % machines)}, 0, true});
  for (std::size_t i = 0; i < channels; ++i)
    info.channels.push_back({ProcessId{static_cast<std::uint32_t>(i % processes)}, "c" + std::to_string(i),
                             static_cast<ChannelKind>(i % 3)});
  info.channel_sets.push_back({ChannelId{0}});
  info.primitive_events = {{"integer_assign", "i", "main"}, {"point_enter", "here", "main"}};
  return info;
}

// Sets only the fields that `type` defines; the process stays on its own machine.
inline Event random_event(Random& random, const TraceInfo& info) {
  Event event;
  event.type = kEventTypes[random.below(kEventTypes.size())];
  event.process.value = static_cast<std::uint32_t>(random.below(info.processes.size()));
  event.machine = info[event.process].machine;
  event.local_time.ns = static_cast<std::int64_t>(random.below(1'000'000)) - 1000;
  event.proc_time_ns = random.next() >> 20;
  event.pc = random.next();
  if (random.chance(.8)) event.ready_time_ns = random.next() >> 20;
  if (random.chance(.8)) event.disk_time_ns = random.next() >> 20;
  event.load = static_cast<std::uint16_t>(random.below(10));
  event.evidence = random.chance(.5) ? Evidence::observed : Evidence::inferred;
  event.flags = static_cast<std::uint16_t>(random.below(2));
  const auto channel = [&] { return ChannelId{static_cast<std::uint32_t>(random.below(info.channels.size()))}; };
  const auto has = [&](std::string_view field) { return member_named(event.type, field).has_value(); };
  if (has("sequence")) event.sequence = random.next();
  if (has("msgLength")) event.length_bytes = static_cast<std::uint32_t>(random.next());
  if (has("channel")) event.channel = channel();
  if ((has("passLink") || has("receiveChannel")) && random.chance(.5)) event.passed_channel = channel();
  if (has("peer") && random.chance(.9))
    event.peer.value = static_cast<std::uint32_t>(random.below(info.processes.size()));
  for (const auto* number : {"code", "exitCode", "socketKind", "newDescriptor", "direction"})
    if (has(number)) event.code = static_cast<std::uint32_t>(random.next());
  if (has("listener")) event.code = random.chance(.5) ? ChannelId::kNone : channel().value;
  if (has("value")) event.sequence = random.next();
  if (has("primitiveEvent")) event.code = static_cast<std::uint32_t>(random.below(info.primitive_events.size()));
  if (has("channelSet")) event.code = static_cast<std::uint32_t>(random.below(info.channel_sets.size()));
  return event;
}

inline std::vector<Event> random_events(std::uint64_t seed, std::size_t count, const TraceInfo& info) {
  Random random(seed);
  std::vector<Event> events;
  for (std::size_t i = 0; i < count; ++i) events.push_back(random_event(random, info));
  return events;
}

// Filters `events` by `rules` into a new trace and returns the ledger written there.
inline Ledger write_trace(const std::string& directory, const TraceInfo& info, std::span<const Event> events,
                          std::vector<RuleSet> rules, const LossReport* losses = nullptr, TraceForm form = {}) {
  auto writer = TraceWriter::create(directory, describe_events(info.filters, rules), std::move(form)).value();
  EventFilter filter(std::move(rules), *writer);
  filter.on_begin(info);
  for (std::size_t i = 0; i < events.size(); i += 1000)
    filter.on_events(events.subspan(i, std::min<std::size_t>(1000, events.size() - i)));
  LossReport complete;
  complete.seen = events.size();
  filter.on_end(losses != nullptr ? *losses : complete);
  DPM_CHECK(writer->status().has_value());
  return writer->ledger();
}

inline Ledger write_trace(const std::string& directory, const TraceInfo& info, std::span<const Event> events,
                          TraceForm form = {}) {
  std::vector<RuleSet> rules(info.filters.size(), RuleSet::keep_all(event_layouts()));
  return write_trace(directory, info, events, std::move(rules), nullptr, std::move(form));
}

struct ReadBack {
  std::vector<Event> events;
  LossReport losses;
};

inline ReadBack read_back(TraceReader& reader) {
  ReadBack back;
  back.losses = reader.read(
      [&](std::span<const Event> batch) { back.events.insert(back.events.end(), batch.begin(), batch.end()); });
  return back;
}

inline bool same_event(const Event& a, const Event& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

inline std::vector<Event> of_process(std::span<const Event> events, ProcessId process) {
  std::vector<Event> chosen;
  std::copy_if(events.begin(), events.end(), std::back_inserter(chosen),
               [&](const Event& event) { return event.process == process; });
  return chosen;
}

// Equal up to the order between processes.
inline bool same_by_process(std::span<const Event> a, std::span<const Event> b, const TraceInfo& info) {
  if (a.size() != b.size()) return false;
  for (std::uint32_t i = 0; i < info.processes.size(); ++i) {
    const auto x = of_process(a, ProcessId{i}), y = of_process(b, ProcessId{i});
    if (!std::equal(x.begin(), x.end(), y.begin(), y.end(), same_event)) return false;
  }
  return true;
}

}  // namespace dpm::test
