// Metering by seccomp user notification: a few calls of the program wait for its supervisor, and a keeper answers them
// when the supervisor is gone.
#include <optional>
#include <utility>

#include "backends/linux/capture/program/launch.hpp"
#include "backends/linux/capture/supervisor/linux_source.hpp"
#include "backends/linux/custody/acquire/take_program.hpp"
#include "backends/linux/custody/keeper/keeper.hpp"
#include "model/check.hpp"
#include "model/metering_method.hpp"

namespace dpm::sources {
namespace {

class SeccompRun : public MeteredRun {
 public:
  explicit SeccompRun(LaunchedProgram launched)
      : launched_(std::move(launched)), program_(std::move(launched_->program())), facts_(facts_of(program_)) {}
  explicit SeccompRun(MeteredProgram program) : program_(std::move(program)), facts_(facts_of(program_)) {}

  const MeteredFacts& facts() const override { return facts_; }

  std::unique_ptr<LiveSource> meter(MeterOptions options) override {
    DPM_CHECK(source_ == nullptr);
    auto source = std::make_unique<LinuxSource>(std::move(program_), std::move(options), [this] {
      if (launched_) launched_->start();
    });
    source_ = source.get();
    return source;
  }

  Result<void> release() override { return leave_to_keeper(source_->program()); }

 private:
  static MeteredFacts facts_of(const MeteredProgram& program) {
    return {program.pid, program.command, program.privileges_given_up};
  }

  std::optional<LaunchedProgram> launched_;
  MeteredProgram program_;
  MeteredFacts facts_;
  LinuxSource* source_ = nullptr;  // knows the program; the caller has it
};

class SeccompMethod : public MeteringMethod {
 public:
  std::string name() const override { return "seccomp"; }
  std::string summary() const override { return "calls wait for the meter: exact, 5 to 30 us each"; }

  Result<std::unique_ptr<MeteredRun>> launch(const std::vector<std::string>& command,
                                             const Options& options) const override {
    auto launched = dpm::launch(command, {.exact_paths = options.exact_paths});
    if (!launched) return launched.error();
    if (auto kept = start_keeper(launched->program()); !kept) return kept.error();
    return std::unique_ptr<MeteredRun>(std::make_unique<SeccompRun>(*std::move(launched)));
  }

  Result<std::unique_ptr<MeteredRun>> acquire(std::uint32_t pid, const Options& options) const override {
    auto program = take_program(pid, {.exact_paths = options.exact_paths});
    if (!program) return program.error();
    return std::unique_ptr<MeteredRun>(std::make_unique<SeccompRun>(*std::move(program)));
  }
};

}  // namespace

std::unique_ptr<MeteringMethod> make_seccomp() { return std::make_unique<SeccompMethod>(); }

}  // namespace dpm::sources
