// The eBPF programs of probes in the running kernel (programs/): attaches them to functions and static tracepoints through
// perf's uprobes, takes what they recorded, and counts what their ring refused.
//
// Everything belongs to this process: when it ends, however it ends, the kernel takes the breakpoints out of the programs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "backends/linux/probes/probe.hpp"
#include "backends/linux/probes/probe_record.h"
#include "model/result.hpp"

namespace dpm {

class ProbeKernel {
 public:
  // Fails with what is missing, and what is possible without it.
  static Result<ProbeKernel> load();
  ProbeKernel(ProbeKernel&&) noexcept;
  ProbeKernel& operator=(ProbeKernel&&) noexcept;
  ~ProbeKernel();

  // In every process that has the file mapped, from now on; its records have this number.
  Result<void> attach(std::uint32_t number, const Probe& probe);
  // In the background (probe_removal.hpp): records with this number may come for a moment.
  void detach(std::uint32_t number);

  void want(std::uint32_t process, bool is_wanted);

  // In the order in which they were made. An exec's is a whole dpm_probe_exec_record.
  void take(const std::function<void(const dpm_probe_record&)>& use);
  struct Loss {
    std::uint32_t process = 0, probe = 0;
    std::uint64_t records = 0;
  };
  std::vector<Loss> losses() const;
  std::uint64_t lost_otherwise() const;

 private:
  struct State;
  explicit ProbeKernel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dpm
