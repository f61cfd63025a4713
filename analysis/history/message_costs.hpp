// What the messages and the CPU time of a history cost on a target: the numbers every replay adds up.
//
// CPU time in a trace includes what the delay model of the traced system charged for messages, by its local and remote
// classes. On another placement the classes change, so the traced charge is subtracted and the target's added. Work is
// scaled by the speeds of the traced and the target's machine, and of the process where the target gives it another
// speed; the cost of messages is the machine's work and scales only with the machine's speed. Every result is whole
// nanoseconds, as in the simulator.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/target.hpp"

namespace dpm {

// Delays by (machine, machine, size), remembering the sizes seen last: a trace has few sizes, and every event needs a
// lookup.
class DelayTable {
 public:
  DelayTable(const DelayModel& model, const std::vector<MachineInfo>& machines);

  struct Costs {
    std::uint64_t bytes = ~0ull;
    std::int64_t delivery_ns = 0;
    std::int64_t sender_cpu_ns = 0;  // on a machine of speed 1
    std::int64_t receiver_cpu_ns = 0;
  };

  // An unknown machine counts as remote from every other.
  const Costs& between(MachineId sender, MachineId receiver, std::uint64_t bytes) {
    return remembered(class_of(sender, receiver), bytes);
  }

  // Over all classes: no placement delivers sooner.
  std::int64_t least_delivery_ns(std::uint64_t bytes) {
    std::int64_t least_ns = remembered(0, bytes).delivery_ns;
    for (std::size_t kind = 1; kind < kinds_.size(); ++kind) {
      least_ns = std::min(least_ns, remembered(kind, bytes).delivery_ns);
    }
    return least_ns;
  }

  bool charges_cpu() const { return charges_cpu_; }

  // In whole nanoseconds, on a machine of speed 1.
  struct WakeUpCosts {
    std::int64_t delivery_ns = 0;
    std::int64_t sender_cpu_ns = 0;
    std::int64_t receiver_cpu_ns = 0;
  };
  bool has_wake_ups() const { return has_wake_ups_; }
  // The receiver's machine had been idle for `idle_ns`.
  WakeUpCosts wake_up(MachineId sender, MachineId receiver, double idle_ns) const;

 private:
  static constexpr std::size_t kRemembered = 61;  // prime, so that sizes of 512 and 1024 do not share a slot

  const Costs& remembered(std::size_t kind, std::uint64_t bytes) {
    Costs& costs = remembered_[kind * kRemembered + bytes % kRemembered];
    if (costs.bytes != bytes) fill(costs, kind, bytes);
    return costs;
  }
  std::size_t class_of(MachineId a, MachineId b) const {
    if (a == b) return a.is_none() ? 1 : 0;
    if (classes_.empty() || a.is_none() || b.is_none()) return 1;
    return classes_[a.value * machine_count_ + b.value];
  }
  void fill(Costs& costs, std::size_t kind, std::uint64_t bytes) const;

  std::vector<DelayClass> kinds_;       // 0 local, 1 remote, then the pairs
  std::vector<std::uint16_t> classes_;  // by (machine, machine); empty when there are no pairs
  std::size_t machine_count_;
  std::vector<Costs> remembered_;
  bool charges_cpu_;
  bool has_wake_ups_;
};

// CPU time around one event: before it can happen and, for a RECEIVE, after the message has arrived.
struct CpuCost {
  std::int64_t before_ns = 0;
  std::int64_t after_ns = 0;
};

class MessageCosts {
 public:
  MessageCosts(const History& history, const Target& target);

  // Prepares for another placement on the same machines: keeps what does not change.
  void move(const std::vector<MachineId>& machine_of);

  // The event of process `source`'s history, performed by process `now`, with `peer` at the message's other end. Work takes
  // `factor` times as long as the source's; what a message costs does not.
  CpuCost cpu(const HistoryEvent& event, std::uint32_t source, std::uint32_t now, std::uint32_t peer,
              double factor = 1) {
    if (plain_) return {scaled(static_cast<std::int64_t>(event.cpu_ns), factor), 0};
    if (charges_cpu_) return with_charges(event, {source, now, peer, factor});
    return {work_ns(static_cast<std::int64_t>(event.cpu_ns), source, now, factor), 0};
  }
  CpuCost cpu(const HistoryEvent& event, std::uint32_t process) { return cpu(event, process, process, event.peer); }

  std::int64_t delivery_ns(const HistoryEvent& send, std::uint32_t sender, std::uint32_t receiver) {
    const std::int64_t ns =
        target_.between(machine_of_[sender], machine_at(machine_of_, receiver), send.length_bytes).delivery_ns;
    return over_link(ns, sender, receiver);
  }
  // How long a delivery of `ns` takes between these two, if the target has a factor for them.
  std::int64_t over_link(std::int64_t ns, std::uint32_t sender, std::uint32_t receiver) const {
    const bool may_have_factor = receiver < has_link_.size() && has_link_[receiver] && has_link_[sender];
    return may_have_factor ? scaled(ns, link_factor(sender, receiver)) : ns;
  }

  // What it costs on the target when `receiver` sleeps until `sender`'s message comes, and its machine has been idle
  // for `idle_ns`.
  bool has_wake_ups() const { return target_.has_wake_ups(); }
  DelayTable::WakeUpCosts wake_up(std::uint32_t sender, std::uint32_t receiver, double idle_ns) const;

  MachineId machine_of(std::uint32_t process) const { return machine_of_[process]; }
  std::size_t machine_count() const { return target_speed_.size(); }
  std::uint32_t cores(std::uint32_t machine) const { return target_cores_[machine]; }

 private:
  static MachineId machine_at(const std::vector<MachineId>& machines, std::uint32_t process) {
    return process < machines.size() ? machines[process] : MachineId{};
  }
  static std::int64_t scaled(std::int64_t ns, double factor) {
    return factor == 1 ? ns : std::llround(static_cast<double>(ns) * factor);
  }
  // Work of `source`'s history when `now` performs it. Most speeds are equal: then nothing is divided.
  std::int64_t work_ns(std::int64_t ns, std::uint32_t source, std::uint32_t now, double factor) const {
    const double traced = traced_speed_[source], speed = speed_[now];
    return scaled(ns, traced == speed ? factor : factor * traced / speed);
  }
  double link_factor(std::uint32_t a, std::uint32_t b) const;
  struct Performed {
    std::uint32_t source, now, peer;
    double factor;
  };
  CpuCost with_charges(const HistoryEvent& event, const Performed& by);

  DelayTable traced_, target_;
  std::vector<double> target_speed_;  // by machine
  std::vector<std::uint16_t> target_cores_;
  std::vector<MachineId> traced_machine_of_, machine_of_;
  std::vector<double> process_speed_;                // by process, on top of its machine's
  std::vector<double> traced_speed_, speed_;         // by process: of its work, on the traced and the target's machine
  std::unordered_map<std::uint64_t, double> links_;  // delay factors by pair of processes
  std::vector<std::uint8_t> has_link_;               // by process: whether `links_` names it; empty: it names none
  bool charges_cpu_;                                 // messages cost CPU time in the trace or on the target
  bool plain_ = false;                               // they do not, and no process changes speed
};

}  // namespace dpm
