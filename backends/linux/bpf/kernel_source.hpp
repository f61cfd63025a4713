// Live Linux programs as a source of events, seen from inside the kernel: eBPF programs at its tracepoints record what the
// metered threads do, and nothing waits for the meter.
//
//     metered thread ── tracepoint ── eBPF program ── ring of its processor ┐
//                                                                           ├─ every few milliseconds: in order of time
//     its children, from their first instruction ── ... ────────────────────┘   ── events ── sink
//
// When the sink is slower than the program, the rings fill up, and then the kernel's programs count what they cannot
// report; the program never waits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/linux/bpf/kernel_programs.hpp"
#include "model/live_source.hpp"

namespace dpm {

struct FollowedProgram {
  std::uint32_t pid = 0;
  std::string command;
  bool from_start = true;  // as in FollowedThreads::Program
  // Of a cgroup or of the machine, instead of one process: those that run already, and are followed; and whether it is gone.
  std::vector<std::uint32_t> running = {};
  std::function<bool()> has_gone = nullptr;
};

class KernelSource : public LiveSource {
 public:
  // The program's first thread is followed already. Calls `on_ready` once the sink has begun.
  KernelSource(KernelPrograms programs, FollowedProgram program, MeterOptions options, std::function<void()> on_ready);
  ~KernelSource() override;

  Result<void> run(EventSink& sink) override;
  void stop() override;
  void set_flags(std::uint32_t pid, MeterFlags flags) override;
  SoFar so_far() override;
  const MeterSummary& summary() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dpm
