// Which processes exchange how many messages of which sizes (thesis 5.2.2), and where the CPU time goes (figure 5.12).
//
// A message is counted by its SEND. Where the sender was not metered, only the RECEIVE is known: such pairs are counted
// by it and marked. Data messages of the kernel (MOVEDATA) are messages, and are also counted separately so that a
// table can show them. Memory grows with processes and pairs that communicate, never with events.
//
// SUMMARYs of a machine are summed by themselves: their process, the meter, does not belong to those that are counted.
//
// Times are local: clocks of two machines are never compared.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statistics/density.hpp"
#include "analysis/statistics/machine_sums.hpp"
#include "model/divided_sink.hpp"
#include "model/event_source.hpp"

namespace dpm {

struct MessageSizes {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint32_t bytes_min = 0;
  std::uint32_t bytes_max = 0;
  // [0] counts empty messages, [k] those of 2^(k-1) to 2^k - 1 bytes.
  std::array<std::uint64_t, 33> by_power{};

  void add(std::uint32_t length_bytes);
  double bytes_mean() const { return messages == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(messages); }
};

struct Traffic {
  ProcessId from, to;
  std::uint64_t sent = 0, sent_bytes = 0;           // by SENDs
  std::uint64_t received = 0, received_bytes = 0;   // by RECEIVEs
  std::uint64_t kernel_sent = 0, kernel_bytes = 0;  // the part of `sent` that moved data for the kernel
  std::uint64_t remote = 0;                         // the part of messages() that went between machines

  // A pair whose sender was not metered is known only by what was received.
  bool by_receive() const { return sent == 0; }
  std::uint64_t messages() const { return by_receive() ? received : sent; }
  std::uint64_t bytes() const { return by_receive() ? received_bytes : sent_bytes; }
  // All but `remote`, which is counted by one end of each message.
  void add_ends(const Traffic& more);
};

// WAITs of one kind.
struct Waits {
  std::uint64_t count = 0;
  std::uint64_t waited_ns = 0;
};
inline constexpr std::size_t kWaitKinds = 4;
static_assert(static_cast<std::size_t>(WaitKind::futex) + 1 == kWaitKinds);

struct ProcessStatistics {
  ProcessId process;
  bool in_computation = true;
  std::array<std::uint64_t, kEventTypes.size() + 1> events_by_type{};  // indexed by the number of the EventType
  std::uint64_t events = 0;
  std::uint64_t sent = 0, sent_bytes = 0;
  std::uint64_t kernel_sent = 0, kernel_bytes = 0;
  std::uint64_t received = 0, received_bytes = 0;
  std::uint64_t sent_local = 0, sent_remote = 0;
  std::array<Waits, kWaitKinds> waits{};  // indexed by WaitKind; no messages
  // At its last event, over its whole lifetime; of an acquired process, since its first event.
  std::uint64_t cpu_ns = 0;
  // The same of the time that it was ready and did not run, and that it waited for a disk; none: not measured.
  std::optional<std::uint64_t> ready_ns, disk_ns;
  MachineId first_machine, last_machine;
  LocalTime first_time, last_time;  // each by the clock of its machine; comparable only if the machines are the same
  bool migrated = false;

  // Of all processes of the computation together, 0 to 1; 0 for the others.
  double cpu_share = 0, sent_share = 0, bytes_share = 0;
};

struct MachineStatistics {
  MachineId machine;
  std::uint64_t sent = 0, sent_bytes = 0;
  LocalTime first_time, last_time;
  DensityHistogram density;  // messages sent from it, by its own clock

  // Over the period in which it was observed.
  double messages_per_second() const;
};

struct Statistics {
  std::vector<ProcessStatistics> processes;  // those with an event, in the order of TraceInfo
  std::vector<Traffic> messages;             // by (from, to)
  std::vector<MachineStatistics> machines;   // those with an event
  std::vector<MachineSums> summaries;        // of machines with SUMMARYs, by number
  MessageSizes sizes;                        // of all messages sent
  MessageSizes kernel_sizes;                 // of those that moved data for the kernel
  std::uint64_t sent_local = 0, sent_remote = 0;
  std::uint64_t events = 0;
  LossReport losses;
  std::vector<std::string> warnings;
};

struct StatisticsOptions {
  std::size_t density_buckets_max = 120;
};

class StatisticsAnalysis : public DividedSink {
 public:
  explicit StatisticsAnalysis(StatisticsOptions options = {}) : options_(options) {}

  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  void give(ByteWriter& out) override;
  void take(ByteReader& in) override;
  // False where processes moved: whether a message is local then depends on where its receiver was at that moment.
  bool is_divisible() const override { return !any_moved_; }

  // What is known so far; final after on_end(). A live display may ask at any time.
  Statistics result() const;

 private:
  struct Seen {
    ProcessStatistics statistics;
    std::uint64_t cpu_before_ns = 0;  // used before its first event
    bool any = false;
  };

  Seen& seen(ProcessId process);
  MachineStatistics& machine(const Event& event);
  MachineStatistics& machine(MachineId number, LocalTime when);
  MachineId machine_of(ProcessId process) const;
  void count_send(const Event& event, ProcessStatistics& sender);
  void count_receive(const Event& event, ProcessStatistics& receiver);
  static void count_wait(const Event& event, ProcessStatistics& waiter);

  StatisticsOptions options_;
  const TraceInfo* info_ = nullptr;
  std::vector<Seen> processes_;              // by process number
  std::vector<std::uint16_t> machine_slot_;  // by machine number: 1 + index into machines_, 0 if not seen
  std::vector<MachineStatistics> machines_;
  std::map<std::pair<ProcessId, ProcessId>, Traffic> traffic_;
  MachineSumsByMachine summaries_;
  MessageSizes sizes_, kernel_sizes_;
  std::uint64_t sent_local_ = 0, sent_remote_ = 0, events_ = 0;
  bool any_moved_ = false;  // an event was not where the trace says that its process started
  LossReport losses_;
  std::optional<Statistics> final_;  // filled in on_end(), after which `info_` is invalid
};

}  // namespace dpm
