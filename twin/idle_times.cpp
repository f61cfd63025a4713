#include "twin/idle_times.hpp"

#include <algorithm>
#include <map>

namespace dpm::twin {
namespace {

constexpr double kHardlyAny = 0.1;  // CPU time of others, of the time that a process was idle

// What the process does by itself, and without having waited for anything but time, if it was in no call. How long other
// calls have waited is not known.
bool goes_on(const Event& event) {
  switch (event.type) {
    case EventType::send:
      return (event.flags & (event_flags::kKernelMessage | event_flags::kNoMessage)) == 0;
    case EventType::receive_call:
    case EventType::create_process:
    case EventType::create_path:
      return true;
    case EventType::destroy_process:
      return event.peer == event.process;
    default:
      return false;
  }
}

// The CPU time that was used on one machine, as a function of time: linear between the ends of pieces of work.
class WorkDone {
 public:
  template <typename AllWork>
  explicit WorkDone(const AllWork& all) {
    std::map<std::int64_t, double> change;  // of the CPU time used in a nanosecond
    for (const auto& work : all) {
      const double rate = static_cast<double>(work.cpu_ns) / static_cast<double>(work.end_ns - work.begin_ns);
      change[work.begin_ns] += rate;
      change[work.end_ns] -= rate;
    }
    double rate = 0, done = 0;
    std::int64_t before_ns = 0;
    for (const auto& [at_ns, by] : change) {
      done += rate * static_cast<double>(at_ns - before_ns);
      rate += by;
      points_.push_back({at_ns, done, rate});
      before_ns = at_ns;
    }
  }

  double between(std::int64_t begin_ns, std::int64_t end_ns) const { return until(end_ns) - until(begin_ns); }

 private:
  struct Point {
    std::int64_t at_ns = 0;
    double done_ns = 0, rate = 0;
  };

  double until(std::int64_t at_ns) const {
    const auto after = std::upper_bound(points_.begin(), points_.end(), at_ns,
                                        [](std::int64_t at, const Point& point) { return at < point.at_ns; });
    if (after == points_.begin()) return 0;
    const Point& last = *std::prev(after);
    return last.done_ns + last.rate * static_cast<double>(at_ns - last.at_ns);
  }

  std::vector<Point> points_;
};

}  // namespace

void IdleTimes::add(const Event& event, std::uint64_t used_ns, std::size_t operations) {
  if (event.type == EventType::message_queued || event.process.is_none()) return;  // nothing that it did
  if (event.process.value >= processes_.size()) processes_.resize(event.process.value + 1u);
  Process& process = processes_[event.process.value];
  if (process.is_known) note(event, used_ns, process, operations);
  // While it is suspended or moved, its time is not its own.
  process.is_known = event.type != EventType::stop_process;
  process.since_ns = event.local_time.ns;
  process.since_cpu_ns = used_ns;
  process.in_call = event.type == EventType::receive_call;
}

void IdleTimes::note(const Event& event, std::uint64_t used_ns, const Process& process, std::size_t operations) {
  const std::int64_t passed_ns = event.local_time.ns - process.since_ns;
  const std::uint64_t cpu_ns = used_ns - process.since_cpu_ns;
  if (passed_ns <= 0 || event.machine.is_none()) return;
  if (event.machine.value >= work_.size()) work_.resize(event.machine.value + 1u);
  if (cpu_ns > 0) work_[event.machine.value].push_back({process.since_ns, event.local_time.ns, cpu_ns});
  const std::int64_t idle_ns = passed_ns - static_cast<std::int64_t>(cpu_ns);
  if (idle_ns < shortest_ns_ || !goes_on(event)) return;
  intervals_.push_back({event.process.value, static_cast<std::uint32_t>(operations), event.machine, process.in_call,
                        process.since_ns, event.local_time.ns, idle_ns});
}

void IdleTimes::write_into(Recording& recording) const {
  std::vector<WorkDone> done;
  if (!intervals_.empty())
    for (const auto& work : work_) done.emplace_back(work);
  for (const Interval& interval : intervals_) {
    const auto idle_ns = static_cast<double>(interval.idle_ns);
    const double own_ns = static_cast<double>(interval.end_ns - interval.begin_ns) - idle_ns;
    const double others_ns = done[interval.machine.value].between(interval.begin_ns, interval.end_ns) - own_ns;
    if (!interval.gave_up && others_ns > kHardlyAny * idle_ns) continue;
    ProcessRecord& record = recording.records[interval.process];
    const bool is_last = interval.operation >= record.operations.size();
    IdleBefore& idle = is_last ? record.tail_idle : record.operations[interval.operation].idle;
    (interval.gave_up ? idle.gave_up_ns : idle.slept_ns) += static_cast<std::uint64_t>(interval.idle_ns);
    idle.give_ups += interval.gave_up;
  }
}

}  // namespace dpm::twin
