// Live Linux programs as a source of events: supervises every process that carries the program's filter, from the first
// notified call until the last of them has ended.
//
// The supervisor changes nothing but the time calls take: each notified call is looked at while it waits, and then
// carried out by the kernel as it was made. What it knows it learns from the waiting call's arguments, from short looks
// at the descriptor, and from what the kernel announces about processes; docs/metering.md tells how, and what it cannot
// see.
#pragma once

#include <functional>
#include <memory>

#include "backends/linux/capture/program/metered_program.hpp"
#include "model/live_source.hpp"

namespace dpm {

class LinuxSource : public LiveSource {
 public:
  // `on_ready` is called once the sink has begun and calls are being served: a launched program may begin then.
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
