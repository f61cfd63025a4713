// Counts, inside the kernel, what the processes of a program move, by eBPF programs of its own (programs/audit.bpf.c). Needs root, or CAP_BPF
// and CAP_PERFMON, and Linux 6.5.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/linux/audit/counts.hpp"
#include "model/result.hpp"

namespace dpm::audit {

class KernelCounter {
 public:
  // Counts for this process and all that it starts, from its next execve() on.
  static Result<KernelCounter> begin(std::uint32_t pid);
  KernelCounter(KernelCounter&&) noexcept;
  KernelCounter& operator=(KernelCounter&&) noexcept;
  ~KernelCounter();

  struct Totals {
    std::vector<Process>
        processes;  // in the order in which they began; without CPU time and I/O: it has not ended, or was not waited for
    bool counts_rings = true;     // what an io_uring moves through pipes, too
    std::uint64_t uncounted = 0;  // processes and objects for which the kernel's tables had no room
  };
  // The kernel frees an ended process some milliseconds after its end: waits up to a second for that.
  Totals end();

 private:
  struct State;
  explicit KernelCounter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dpm::audit
