// The programs of DEMOS/MP's system processes. They communicate by messages like any other process, and do through the
// Simulation what only they may do. The protocol of the process manager and the switchboard is
// model/process_manager.hpp; kernels obey the process manager only.
#pragma once

#include <cstdint>
#include <functional>

#include "backends/sim/process_calls.hpp"
#include "backends/sim/simulation.hpp"

namespace dpm::sim {

using SystemProgram = std::function<void(Simulation&, ProcessCalls&)>;

// Turns requests for processes into requests to the kernels of their machines.
void process_manager_program(Simulation& simulation, ProcessCalls& calls);

// One on every machine: makes, starts, stops and moves the processes of its machine.
void kernel_program(Simulation& simulation, ProcessCalls& calls);

// The name server.
void switchboard_program(Simulation& simulation, ProcessCalls& calls);

// Hands on what it receives over the meter paths.
void filter_program(Simulation& simulation, ProcessCalls& calls);

// What the process manager asks of a kernel. The bodies are words (encode_words): the first names the process, the last
// the requester.
enum class KernelRequest : std::uint32_t {
  create = 1,           // process, program, requester; passes a link to the process back
  give_standard_links,  // process, requester
  set_meter_link,       // process, filter, requester
  set_flags,            // process, flags, requester
  start,                // process, requester
  stop,
  resume,
  destroy,
  freeze,      // process, requester: stop for a migration
  transfer,    // process, machine, requester: send its state to the kernel of `machine`
  thaw,        // process, requester: it lives here now
  state_part,  // from kernel to kernel
};

}  // namespace dpm::sim
