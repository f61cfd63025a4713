// What processes of this machine wait for now, from /proc: the states of dpm sample (docs/sampling.md).
//
// The trace says for which message a process waits; /proc says whether it waits at all, and for what else. Processes of other
// machines, and those that we may not look into, keep what the trace says.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "cli/top/rates.hpp"
#include "model/trace_info.hpp"
#include "sampling/proc/descriptor_lookup.hpp"
#include "sampling/proc/sampled_process.hpp"
#include "sampling/states/state.hpp"

namespace dpm::cli {

// In at most nine characters: "CPU", "disk", "timer", "lock", "message".
std::string wait_word(sampling::State state);
// Whether a message ends it, which the trace may know better.
bool is_for_message(sampling::State state);
// A row whose threads are in these states, the first thread's first: what runs comes first, then what can run, then a disk.
std::optional<sampling::State> state_of_row(std::span<const sampling::State> states);

class WaitsNow {
 public:
  WaitsNow();

  // Into the rows of processes, or of threads.
  void look(TopNumbers& numbers, const TraceInfo& info, bool threads);

 private:
  std::optional<sampling::State> state_of(const ProcessInfo& process, bool thread);

  const std::string host_;
  sampling::DescriptorLookup descriptors_;
  std::string buffer_;
  std::map<std::uint32_t, sampling::SampledProcess> processes_;  // by pid
};

}  // namespace dpm::cli
