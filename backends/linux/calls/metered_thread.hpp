// One thread of a metered program, with its events that are not finished yet.
//
// How many bytes a call really moved is known only later, when the meter reads the stream's offset again, or the
// thread's I/O counters. Until then the event waits here, and so do the thread's later events, which keeps their order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/event.hpp"
#include "model/meter_flags.hpp"
#include "os/kernel/tracee.hpp"

namespace dpm {

struct Flow;

// One end of a flow.
struct FlowEnd {
  Flow* flow = nullptr;
  bool sending = false;

  friend bool operator==(const FlowEnd&, const FlowEnd&) = default;

  struct Hash {
    std::size_t operator()(const FlowEnd& end) const {
      return std::hash<const Flow*>()(end.flow) * 2 + (end.sending ? 1 : 0);
    }
  };
};

class MeteredThread;

// Where the threads of a program put their events.
struct ThreadOutput {
  std::vector<Event> ready;             // finished; those of one thread in their order
  std::vector<MeteredThread*> waiting;  // threads with an event that is not finished
};

class MeteredThread {
 public:
  MeteredThread(ProcessId id, std::uint32_t pid, std::uint32_t tid, ThreadOutput& output)
      : id_(id), pid_(pid), tid_(tid), output_(output) {}

  ProcessId id() const { return id_; }
  std::uint32_t pid() const { return pid_; }
  std::uint32_t tid() const { return tid_; }

  // ---- clocks: neither ever goes back
  // The CPU time as read, less the time used before the program began, and less the cost of its notified calls, each
  // `call_cost_ns`.
  void read_cpu_time(std::uint64_t cpu_ns, std::uint64_t call_cost_ns) {
    const std::uint64_t ours = cpu_before_ns + notified_calls * call_cost_ns;
    proc_time_ns_ = std::max(proc_time_ns_, cpu_ns > ours ? cpu_ns - ours : 0);
  }
  std::uint64_t proc_time_ns() const { return proc_time_ns_; }
  // How long it waited for a processor and for a disk; kNotMeasured until a source has told.
  void read_waits(std::uint64_t ready_ns, std::uint64_t disk_ns) {
    ready_time_ns_ = ready_time_ns_ == kNotMeasured ? ready_ns : std::max(ready_time_ns_, ready_ns);
    disk_time_ns_ = disk_time_ns_ == kNotMeasured ? disk_ns : std::max(disk_time_ns_, disk_ns);
  }
  std::uint64_t ready_time_ns() const { return ready_time_ns_; }
  std::uint64_t disk_time_ns() const { return disk_time_ns_; }
  LocalTime at_or_after_last(LocalTime time) const { return std::max(time, last_time_); }
  // The thread is outside of all calls that the meter saw, or makes the next one.
  void was_seen(LocalTime now) { last_seen_ = std::max(last_seen_, now); }
  bool was_seen_after(LocalTime time) const { return last_seen_ > time; }

  // ---- events
  static constexpr std::uint64_t kNoEvent = UINT64_MAX;  // stands for an event that the flags leave out
  // Appends an event, finished or not, and returns its number.
  // `end`: the flow's end whose operation will finish the event, if there is one.
  std::uint64_t append(const Event& event, bool finished, std::int64_t now_ns, FlowEnd end = {});
  // Appends a finished event of the whole process that is attributed to this thread, which may be in a call meanwhile.
  void append_for_process(const Event& event, std::int64_t now_ns);
  // An event that is not finished; nullptr for kNoEvent.
  Event* event(std::uint64_t number) { return number == kNoEvent ? nullptr : &waiting_[number - first_number_].event; }
  void finish(std::uint64_t number) { decide(number, State::finished); }
  void cancel(std::uint64_t number) { decide(number, State::cancelled); }
  // The data of this unfinished event came after its call began and before the call ended. The event gets the time of
  // the next event of the thread itself, or of the next time the thread was seen. Returns its new number.
  std::uint64_t delay(std::uint64_t number);

  std::size_t waiting() const { return waiting_.size(); }
  // Of the first waiting event; there must be one.
  std::int64_t waiting_since_ns() const { return waiting_.front().since_ns; }
  std::uint64_t first_waiting() const { return first_number_; }
  FlowEnd first_waiting_end() const { return waiting_.front().end; }

  // ---- operations whose length is not known yet, in the flows that point here
  void opened(FlowEnd end) {
    ++open_operations;
    ++open_at_[end];
  }
  void closed(FlowEnd end) {
    --open_operations;
    const auto at = open_at_.find(end);
    if (--at->second == 0) open_at_.erase(at);
  }
  std::vector<FlowEnd> open_ends() const {
    std::vector<FlowEnd> ends;
    for (const auto& [end, operations] : open_at_) ends.push_back(end);
    return ends;
  }

  MeterFlags flags;
  std::uint64_t cpu_before_ns = 0;   // by the process before it became the program
  std::uint64_t notified_calls = 0;  // whose cost is in its CPU time
  std::uint64_t call_number = 0;     // grows with each of its calls that the meter saw
  std::uint64_t moved_in_call = 0;   // the number of the last call for which a SEND or RECEIVE was recorded
  bool ended = false;
  std::uint32_t open_operations = 0;  // pointers to this, in flows and in paths that wait for their connection

  // The end of the last call whose result the thread's I/O counters will tell, and the counters before that call.
  FlowEnd counted;
  ThreadFiles::Transferred transferred_before;

 private:
  enum class State : std::uint8_t { open, finished, cancelled };
  struct Waiting {
    Event event;
    State state = State::open;
    std::int64_t since_ns = 0;
    FlowEnd end;
    bool for_process = false;
  };
  void decide(std::uint64_t number, State state);
  void waits_no_more();

  ProcessId id_;
  std::uint32_t pid_ = 0, tid_ = 0;
  ThreadOutput& output_;
  std::size_t place_ = 0;  // in its list of threads that wait
  std::uint64_t proc_time_ns_ = 0;
  std::uint64_t ready_time_ns_ = kNotMeasured, disk_time_ns_ = kNotMeasured;
  LocalTime last_time_{INT64_MIN}, last_seen_{INT64_MIN};
  std::deque<Waiting> waiting_;
  std::uint64_t first_number_ = 0;
  std::unordered_map<FlowEnd, std::uint32_t, FlowEnd::Hash> open_at_;
};

}  // namespace dpm
