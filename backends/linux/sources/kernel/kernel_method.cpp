// Metering from inside the kernel: eBPF programs record what the program does, and no call waits.
#include <optional>
#include <string>
#include <utility>

#include "backends/linux/capture/bpf/kernel_source.hpp"
#include "backends/linux/capture/program/launch.hpp"
#include "model/check.hpp"
#include "model/metering_method.hpp"
#include "os/descriptors.hpp"
#include "os/process_handle.hpp"

namespace dpm::sources {
namespace {

class KernelRun : public MeteredRun {
 public:
  enum class Start { when_ready, when_told };

  KernelRun(LaunchedProgram launched, KernelPrograms programs, Start start)
      : launched_(std::move(launched)),
        programs_(std::move(programs)),
        start_(start),
        facts_{launched_.program().pid, launched_.program().command, false} {}

  const MeteredFacts& facts() const override { return facts_; }

  std::unique_ptr<LiveSource> meter(MeterOptions options) override {
    DPM_CHECK(programs_.has_value());
    auto on_ready = [this, also = options.on_ready] {
      if (start_ == Start::when_ready) launched_.start();
      if (also) also();
    };
    auto programs = *std::move(programs_);
    programs_.reset();
    return std::make_unique<KernelSource>(std::move(programs), FollowedProgram{facts_.pid, facts_.command},
                                          std::move(options), std::move(on_ready));
  }

  void start() override {
    DPM_CHECK(start_ == Start::when_told);
    launched_.start();
  }

  Result<void> release() override { return {}; }  // nothing of ours is in the program

 private:
  LaunchedProgram launched_;
  std::optional<KernelPrograms> programs_;
  const Start start_;
  const MeteredFacts facts_;
};

Result<std::unique_ptr<MeteredRun>> follow(LaunchedProgram launched, KernelRun::Start start, std::size_t ring_bytes) {
  KernelPrograms::Options options;
  if (ring_bytes != 0) options.ring_bytes = ring_bytes;
  auto programs = KernelPrograms::load(options);
  if (!programs) return programs.error();
  const UniqueFd process = open_process(launched.program().pid);
  if (!process) return Error::from_errno("watch the program's process");
  if (auto followed = programs->follow(process.get()); !followed) return followed.error();
  return std::unique_ptr<MeteredRun>(std::make_unique<KernelRun>(std::move(launched), *std::move(programs), start));
}

class KernelMethod : public MeteringMethod {
 public:
  std::string name() const override { return "kernel"; }
  std::string summary() const override {
    return "eBPF programs record what it does, and no call waits: exact, less than 1 us each; needs root";
  }

  std::string obstacle() const override { return KernelPrograms::obstacle(); }
  bool finds_callers() const override { return false; }

  Result<std::unique_ptr<MeteredRun>> launch(const std::vector<std::string>& command,
                                             const Options& options) const override {
    auto launched = dpm::launch(command, {.notifies = false});
    if (!launched) return launched.error();
    return follow(*std::move(launched), KernelRun::Start::when_ready, options.ring_bytes);
  }

  Result<std::unique_ptr<MeteredRun>> launch_child(const std::vector<std::string>& command,
                                                   const ChildStreams& streams) const override {
    auto launched = [&] {
      const BorrowedStandardStreams borrowed({streams.input, streams.output, streams.error});
      return launch_as_child(command, {.notifies = false, .own_session = true});
    }();
    if (!launched) return launched.error();
    return follow(*std::move(launched), KernelRun::Start::when_told, 0);
  }

  Result<std::unique_ptr<MeteredRun>> acquire(std::uint32_t, const Options&) const override {
    return Error{"the kernel source meters programs that dpm starts; acquire with --source notify"};
  }
};

}  // namespace

std::unique_ptr<MeteringMethod> make_kernel() { return std::make_unique<KernelMethod>(); }

}  // namespace dpm::sources
