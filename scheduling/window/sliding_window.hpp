// The last seconds of a computation, in bounded memory: what a filter passes on to a scheduler (1988 paper V.B, figure 4).
//
//        dropped │◄────────── length ──────────►│ now
//      ──────────┼──S──R──────S────Q───R────────┤          S SEND, R RECEIVE, Q MESSAGEQUEUED
//
// Time is the observer's own: set_now() says when the events that follow have come. Machines share no clock, so the times in
// the events do not decide what is dropped. Sums are kept up to date as events come and go; they cost nothing to read.
//
// Memory is bounded by `events_max` and by the number of processes. With more events than that the window becomes shorter,
// which is not a loss: observed() says how long it is.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/history/history.hpp"
#include "model/event_source.hpp"

namespace dpm {

struct WindowLimits {
  Duration length = Duration::from_seconds(5);
  std::size_t events_max = 50'000;
};

struct ProcessLoad {
  std::uint64_t cpu_ns = 0;  // used within the window
  std::uint64_t sent = 0, received = 0;
  std::uint64_t queue_length = 0;  // messages that have come and are not received; 0 where MESSAGEQUEUED is not metered
  MachineId machine;               // of its last event
  bool seen = false;               // has produced an event
  bool alive = true;

  friend bool operator==(const ProcessLoad&, const ProcessLoad&) = default;
};

struct PairTraffic {
  std::uint64_t messages = 0, bytes = 0;

  friend bool operator==(const PairTraffic&, const PairTraffic&) = default;
};

// Events of a window, the oldest is 0: by when they came, of live programs by their own clock. There each process's events come in
// batches, so that among the oldest and the newest those of some processes are missing.
struct EventRange {
  std::size_t first = 0, count = SIZE_MAX;
};

class SlidingWindow : public EventSink {
 public:
  using Pair = std::pair<ProcessId, ProcessId>;  // sender, receiver

  explicit SlidingWindow(WindowLimits limits) : limits_(limits) {}

  // Never goes back. Drops what has become too old.
  void set_now(Duration now);

  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override { note_lost(losses.lost()); }

  // How many events have been lost so far, all together.
  void note_lost(std::uint64_t events);
  // False while events may be missing that belong into the window.
  bool is_complete() const { return !lost_at_ || now_ - *lost_at_ > limits_.length; }

  // Empties the window: what came before a process was moved says little about what comes after.
  void begin_again();

  Duration now() const { return now_; }
  // How much of the time up to now the window covers; at most its length.
  Duration observed() const { return now_ - begin_; }
  std::size_t events() const { return entries_.size(); }
  // Since when the window was emptied, or began. A window with events_max events may cover less than that.
  Duration gathered() const { return now_ - emptied_at_; }
  std::uint64_t received() const { return received_; }
  // Since the beginning, not only within the window.
  std::uint64_t all_received() const { return all_received_; }
  std::uint64_t all_received_bytes() const { return all_received_bytes_; }

  const TraceInfo& info() const { return *info_; }
  const std::vector<ProcessLoad>& loads() const { return loads_; }  // by process
  const std::map<Pair, PairTraffic>& traffic() const { return traffic_; }

  // The history graph of some events of the window, with every process where it is now; live ones are all on the first machine. What
  // live programs did with streams becomes messages. Refuses events without messages.
  Result<History> history(EventRange range = {}) const;

 private:
  struct Entry {
    Event event;
    Duration came;
    std::uint64_t used_ns = 0;  // CPU time since the process's event before
  };
  void add(const Event& event);
  void drop_first();

  WindowLimits limits_;
  const TraceInfo* info_ = nullptr;
  Duration now_, begin_, emptied_at_;
  std::deque<Entry> entries_;
  std::vector<ProcessLoad> loads_;
  std::vector<std::uint64_t> last_proc_time_ns_;
  std::map<Pair, PairTraffic> traffic_;
  std::uint64_t received_ = 0;
  std::uint64_t all_received_ = 0, all_received_bytes_ = 0;
  std::uint64_t lost_ = 0;
  std::optional<Duration> lost_at_;
};

}  // namespace dpm
