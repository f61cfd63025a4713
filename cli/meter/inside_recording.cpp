#include "cli/meter/inside_recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "os/machine.hpp"

namespace dpm::cli {
namespace {

constexpr std::chrono::milliseconds kPause{2};
// Then the rings are left full, and refuse and count what comes.
constexpr std::size_t kHeldMost = 4'000'000;

PrimitiveEvent primitive_of(const EventDefinition& event) {
  return {std::string(monitor::kActionNames[event.action].name), event.object, event.function};
}

}  // namespace

Result<void> InsidePlan::check() {
  const auto folder = ProgramFolder::take();
  if (!folder) return folder.error();
  return {};
}

Result<std::unique_ptr<InsidePlan>> InsidePlan::prepare(EventScript script, const std::vector<std::string>& command) {
  auto folder = ProgramFolder::take();
  if (!folder) return folder.error();
  return std::unique_ptr<InsidePlan>(new InsidePlan(std::move(script), *std::move(folder), command));
}

InsidePlan::InsidePlan(EventScript script, ProgramFolder folder, const std::vector<std::string>& command)
    : script_(std::move(script)), watch_(script_, std::move(folder), machine_name(), command) {}

InsideRecording::InsideRecording(InsidePlan& plan, EventSink& events, GrowthSink& growth)
    : plan_(plan), events_(events), growth_(growth), emptying_([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          {
            const std::lock_guard lock(mutex_);
            if (held_records_ < kHeldMost) take();
          }
          std::this_thread::sleep_for(kPause);
        }
      }) {}

InsideRecording::~InsideRecording() = default;

void InsideRecording::on_begin(const TraceInfo& info) {
  {
    const std::lock_guard lock(mutex_);
    for (std::uint32_t p = 0; p < info.processes.size(); ++p) learn(info.processes[p], p);
    rows_ = static_cast<std::uint32_t>(info.primitive_events.size());
  }
  events_.on_begin(info);
}

void InsideRecording::on_growth(const TraceGrowth& growth) {
  {
    const std::lock_guard lock(mutex_);
    for (const ProcessInfo& process : growth.processes) learn(process, static_cast<std::uint32_t>(threads_.size()));
    for (const auto& again : growth.processes_again) learn(again.entry, again.id.value);
    rows_ += static_cast<std::uint32_t>(growth.primitive_events.size());
  }
  growth_.on_growth(growth);
}

// A later process may have the numbers of an earlier one.
void InsideRecording::learn(const ProcessInfo& process, std::uint32_t number) {
  if (threads_.size() <= number) threads_.resize(number + 1);
  threads_[number] = {process.pid, process.tid};
  numbers_[threads_[number]] = number;
}

void InsideRecording::on_events(std::span<const Event> batch) {
  std::vector<Event> out;
  {
    const std::lock_guard lock(mutex_);
    take();
    out.reserve(batch.size());
    for (const Event& event : batch) {
      put_before(event, out);
      out.push_back(event);
    }
  }
  events_.on_events(out);
}

void InsideRecording::take() {
  for (const Occurrence& found : plan_.watch().take()) {
    if (found.is_again) continue;
    const WatchedProgram& program = plan_.watch().programs()[found.program];
    held_[{program.pid, found.thread}].push_back({static_cast<std::int64_t>(found.time_ns), found.event, found.value});
    ++held_records_;
  }
}

void InsideRecording::put_before(const Event& event, std::vector<Event>& out) {
  if (event.process.value >= threads_.size()) return;
  const auto held = held_.find(threads_[event.process.value]);
  if (held == held_.end()) return;
  std::deque<Record>& records = held->second;
  while (!records.empty() && records.front().time_ns <= event.local_time.ns) {
    put(event.process, event.machine, records.front(), out);
    records.pop_front();
    --held_records_;
  }
}

void InsideRecording::put(ProcessId process, MachineId machine, const Record& record, std::vector<Event>& out) {
  const EventDefinition& definition = plan_.watch().script().events[record.event];
  Event event;
  event.type = monitor::kActionNames[definition.action].value.empty() ? EventType::point : EventType::value;
  event.local_time.ns = record.time_ns;
  event.process = process;
  event.machine = machine;
  event.code = row_of(record.event);
  if (event.type == EventType::value) event.sequence = record.value.bits();
  out.push_back(event);
  ++put_;
}

std::uint32_t InsideRecording::row_of(std::size_t event) {
  const auto [known, is_new] = row_of_.try_emplace(primitive_of(plan_.watch().script().events[event]), rows_);
  if (!is_new) return known->second;
  ++rows_;
  TraceGrowth growth;
  growth.primitive_events.push_back(known->first);
  growth_.on_growth(growth);
  return known->second;
}

void InsideRecording::on_end(const LossReport& given) {
  emptying_.request_stop();
  if (emptying_.joinable()) emptying_.join();
  LossReport losses = given;
  std::vector<Event> out;
  {
    const std::lock_guard lock(mutex_);
    take();
    std::uint64_t unknown = 0;
    for (auto& [thread, records] : held_) {
      const auto known = numbers_.find(thread);
      if (known == numbers_.end()) {
        unknown += records.size();
        continue;
      }
      for (const Record& record : records) put(ProcessId{known->second}, MachineId{0}, record, out);
    }
    if (unknown != 0) losses.losses.push_back({"events inside threads that the meter did not know", unknown});
    std::uint64_t lost = unknown;
    const auto counts = plan_.watch().counts();
    for (std::size_t e = 0; e < counts.size(); ++e) {
      if (counts[e].lost == 0) continue;
      losses.losses.push_back(
          {fmt::format("{}: a ring was full", plan_.watch().script().events[e].name), counts[e].lost});
      lost += counts[e].lost;
    }
    losses.seen += put_ + lost;
  }
  if (!out.empty()) events_.on_events(out);
  events_.on_end(losses);
}

std::vector<std::string> InsideRecording::take_complaints() {
  std::vector<std::string> complaints = plan_.watch().take_complaints();
  for (std::string& unmet : plan_.watch().unmet()) complaints.push_back(std::move(unmet));
  return complaints;
}

}  // namespace dpm::cli
