// How much each process and each pair of processes did, by time, in bounded memory: what every zoomable picture of a
// run is drawn from, while the run goes on.
//
// Each process and each pair has a Curve (curve.hpp) over the clock of its machine, so what it did in a window is the
// difference of two values. MachineOffsets puts the machines on one axis when a window is asked for, so a better offset
// needs no second reading.
//
// Where amounts lie in time:
//   messages, bytes   in the bin of their event. Those of a pair: of the SENDs, or of the RECEIVEs where no SEND of the
//                     pair is metered, as in analysis/statistics. While a program runs, a RECEIVE in a stream does not
//                     say whose it is: it counts, as from nowhere, until a SEND in the same stream was seen
//   cpu               PROCTIME says how much a process used between two of its events, not when: it is spread evenly over
//                     the local time between them. What it used before its first event is put directly before it.
//   waiting           from a RECEIVECALL to the process's next event, less the CPU time used meanwhile; and the end of
//                     the time before a WAIT, as long as the WAIT says
//   queue             length x time, where MESSAGEQUEUED is metered: one more with each, one less with each RECEIVE
//   machines          SUMMARYs are of their machine, and of no process (machine_levels.hpp)
// A process that waits now, or has messages queued now, does so until the last event of its machine.
//
// Memory: `bytes_max` for all curves. When they come near it, the newest eighth stays as fine as it is, and older bins are
// merged pairwise until everything fits: the last minutes of a program that runs for days are as fine as ever. Each event
// does a part of this work, so that none takes long. A process or pair takes some 200 bytes besides; pairs beyond `pairs_max`
// are summed in one without ends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/levels/curve.hpp"
#include "analysis/levels/machine_levels.hpp"
#include "analysis/levels/machine_offsets.hpp"
#include "analysis/levels/pair_numbers.hpp"
#include "analysis/levels/stays.hpp"
#include "analysis/levels/wait_counts.hpp"
#include "model/event_source.hpp"

namespace dpm {

struct ProcessAmounts {
  static constexpr bool kTakesTime = true;

  std::uint64_t cpu_ns = 0, waiting_ns = 0;
  std::uint64_t queue_ns = 0;  // messages x time
  std::uint64_t sent = 0, received = 0, sent_bytes = 0, received_bytes = 0;

  ProcessAmounts part(std::int64_t numerator, std::int64_t denominator) const;
  ProcessAmounts& operator+=(const ProcessAmounts& other);
  ProcessAmounts& operator-=(const ProcessAmounts& other);
  friend bool operator==(const ProcessAmounts&, const ProcessAmounts&) = default;
};

struct PairAmounts {
  static constexpr bool kTakesTime = false;

  std::uint64_t messages = 0, bytes = 0;

  PairAmounts part(std::int64_t, std::int64_t) const { return {}; }
  PairAmounts& operator+=(const PairAmounts& other);
  PairAmounts& operator-=(const PairAmounts& other);
  friend bool operator==(const PairAmounts&, const PairAmounts&) = default;
};

struct LevelsOptions {
  std::int64_t finest_ns = 1'000'000;
  std::size_t bytes_max = std::size_t{64} << 20;
  std::size_t pairs_max = 65'536;
};

class LevelsAnalysis : public EventSink {
 public:
  // What a process does now, as far as its last event says.
  enum class Doing : std::uint8_t { not_seen, not_known, waits_for_message, ended };
  struct Ends {
    ProcessId from, to;  // both none: all pairs beyond LevelsOptions::pairs_max
  };

  explicit LevelsAnalysis(LevelsOptions options = {}) : options_(options), coarse_ns_(options.finest_ns) {}

  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;
  // A message whose SEND or RECEIVE came before, marked with event_flags::kNoMessage, because what it is was not known then. It counts where its
  // process is now.
  void count_message(const Event& event);

  // ---- at any time, also after on_end()

  // What the process did in each of the windows between neighbouring edges, which increase. One window: two edges.
  std::vector<ProcessAmounts> of(ProcessId process, std::span<const RunTime> edges) const;
  // `pair` counts from 0 to pairs().
  std::vector<PairAmounts> of_pair(std::size_t pair, std::span<const RunTime> edges) const;

  std::size_t processes() const { return processes_.size(); }
  std::size_t pairs() const { return pairs_.size(); }
  Ends ends_of(std::size_t pair) const { return pairs_[pair].ends; }
  // No SEND of the pair is metered: its messages are counted where they are received.
  bool is_counted_by_receives(std::size_t pair) const { return !pairs_[pair].by_send; }
  Doing doing(ProcessId process) const;
  bool has_queue(ProcessId process) const;                   // MESSAGEQUEUED of it is metered
  std::uint64_t queue_length(ProcessId process) const;       // now
  std::optional<RunTime> first_of(ProcessId process) const;  // none: it has no event
  std::optional<RunTime> last_of(ProcessId process) const;
  MachineId machine_of(ProcessId process) const;  // of its last event
  WaitCounts waits_of(ProcessId process) const;   // that a RECEIVE has ended

  std::uint64_t events() const { return events_; }
  // Bins are at least as fine as this at that moment and later: finer windows show steps.
  std::int64_t width_ns_at(RunTime from) const;
  std::size_t bytes() const;  // of all curves
  const MachineOffsets& offsets() const { return offsets_; }
  const MachineLevels& machines() const { return machines_; }
  void settle_offsets() { offsets_.settle(); }

 private:
  struct Process {
    Stays<ProcessAmounts> stays;
    std::size_t current = 0;  // stay
    LocalTime first, last;    // by the clocks of `first_machine` and the current stay's machine
    MachineId first_machine;
    std::uint64_t proc_time_ns = 0;
    Doing doing = Doing::not_seen;
    bool has_queue = false;
    std::uint64_t queue_length = 0;
    WaitCounts waits;
    std::size_t last_sent = ~std::size_t{0}, last_received = ~std::size_t{0};  // pairs
  };
  struct Pair {
    Ends ends;
    bool by_send = false;
    Stays<PairAmounts> stays;
  };

  void take(const Event& event);
  Curve<ProcessAmounts>& begin_stay(Process& process, const Event& event);
  void pass_time(Process& process, const Event& event);
  void count(Process& process, const Event& event);
  std::size_t stream_of(const Event& event) const;
  void note_sender(const Event& event);
  void count_alone(const Event& event, LocalTime time);
  void count_pair(std::size_t pair, const Event& event, LocalTime time);
  std::size_t pair_of(ProcessId from, ProcessId to, std::size_t& last);
  ProcessAmounts still_open(const Process& process, LocalTime time) const;
  template <typename Amounts, typename Change>
  void change(Curve<Amounts>& curve, Change&& how);
  // The curves of what is about to be made coarse, some at a time.
  struct Coarsening {
    std::optional<RunTime> done;           // until there they are as coarse already
    std::size_t processes = 0, pairs = 0;  // of these
  };
  template <typename Each>
  void for_some_curves(Each&& each) const;
  void begin_to_fit();
  void fit(std::size_t points);
  template <typename Amounts>
  std::size_t coarsen(Stays<Amounts>& stays);
  RunTime begin_of_newest() const;

  LevelsOptions options_;
  const TraceInfo* info_ = nullptr;
  MachineOffsets offsets_;
  MachineLevels machines_;
  std::vector<Process> processes_;  // by number
  std::vector<Pair> pairs_;
  PairNumbers pair_numbers_;
  struct Stream {
    std::size_t alone = ~std::size_t{0};  // the pair of its RECEIVEs
    bool has_sender = false;
  };
  std::vector<Stream> streams_;  // by channel
  std::uint64_t events_ = 0;
  std::size_t bytes_ = 0;   // of the points of all curves
  std::int64_t coarse_ns_;  // width of the bins until `coarse_until_`
  std::optional<RunTime> coarse_until_;
  std::optional<Coarsening> coarsening_;  // under way
};

}  // namespace dpm
