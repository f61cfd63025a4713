// Live Linux programs as a source of events: supervises every process that carries the program's filter, from the first
// notified call until the last of them has ended.
//
// The supervisor changes only how long calls take: it looks at each notified call while the call waits, and then the
// kernel carries the call out as it was made. It learns from the arguments of the waiting call, from short looks at the
// descriptor, and from the kernel's announcements about processes; docs/metering.md describes how, and what it cannot
// see.
#pragma once

#include <functional>
#include <memory>

#include "backends/linux/program/metered_program.hpp"
#include "model/live_source.hpp"

namespace dpm {

class LinuxSource : public LiveSource {
 public:
  // Calls `on_ready` once the sink has begun and calls are being served: a launched program may begin then.
  LinuxSource(MeteredProgram program, MeterOptions options, std::function<void()> on_ready = {});
  ~LinuxSource() override;

  Result<void> run(EventSink& sink) override;

  // run() lets every waiting call go on and returns; from then on the program's keeper answers its calls.
  void stop() override;
  void set_flags(std::uint32_t pid, MeterFlags flags) override;
  SoFar so_far() override;
  const MeterSummary& summary() const override;
  const MeteredProgram& program() const;  // what it was given

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dpm
