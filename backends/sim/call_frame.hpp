// What all kernel calls of a process have in common: where the call was made (the pc), the CPU time it takes, waiting,
// and how it is refused.
#pragma once

#include <optional>
#include <string>

#include "backends/sim/process.hpp"
#include "backends/sim/simulation.hpp"

namespace dpm::sim {

class CallFrame {
 public:
  CallFrame(Simulation& simulation, Process& process) : simulation_(simulation), process_(process) {}

  void enter(const char* call, const void* return_address);
  // Records an event of this call.
  void record(Event event) {
    event.pc = pc();
    simulation_.meter().record(process_, event);
  }
  std::uint64_t pc() const { return simulation_.meter().pc_of(return_address_); }

  void settle();  // charges what metering has cost
  void use_cpu(Duration work);
  // Until what the process waits for has come, or the time `until`.
  void block(Waiting what_for, std::optional<TrueTime> until = std::nullopt);
  void wait_while_stopped();

  const Link& link_at(LinkIndex index) const;
  [[noreturn]] void misuse(const std::string& what) const;
  void refuse_if(const std::string& complaint) const {
    if (!complaint.empty()) misuse(complaint);
  }

 private:
  Simulation& simulation_;
  Process& process_;
  const char* call_ = "";
  const void* return_address_ = nullptr;
};

}  // namespace dpm::sim
