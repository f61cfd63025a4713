// Metering by seccomp user notification: a few calls of the program wait for its supervisor, and a keeper answers them
// when the supervisor is gone.
#include <optional>
#include <string>
#include <utility>

#include "backends/linux/custody/acquire/take_program.hpp"
#include "backends/linux/custody/keeper/keeper.hpp"
#include "backends/linux/custody/keeper/rescue.hpp"
#include "backends/linux/program/launch.hpp"
#include "backends/linux/supervisor/linux_source.hpp"
#include "model/check.hpp"
#include "model/metering_method.hpp"
#include "os/descriptors.hpp"

namespace dpm::sources {
namespace {

class SeccompRun : public MeteredRun {
 public:
  enum class Start { when_ready, when_told };

  SeccompRun(LaunchedProgram launched, Start start)
      : launched_(std::move(launched)),
        start_(start),
        program_(std::move(launched_->program())),
        facts_(facts_of(program_)) {}
  explicit SeccompRun(MeteredProgram program) : program_(std::move(program)), facts_(facts_of(program_)) {}

  const MeteredFacts& facts() const override { return facts_; }

  std::unique_ptr<LiveSource> meter(MeterOptions options) override {
    DPM_CHECK(source_ == nullptr);
    auto source = std::make_unique<LinuxSource>(std::move(program_), options, [this, on_ready = options.on_ready] {
      if (launched_ && start_ == Start::when_ready) launched_->start();
      if (on_ready) on_ready();
    });
    source_ = source.get();
    return source;
  }

  void start() override {
    DPM_CHECK(launched_ && start_ == Start::when_told);
    launched_->start();
  }

  Result<void> release() override { return leave_to_keeper(source_->program()); }

 private:
  static MeteredFacts facts_of(const MeteredProgram& program) {
    return {program.pid, program.command, program.privileges_given_up};
  }

  std::optional<LaunchedProgram> launched_;
  Start start_ = Start::when_ready;
  MeteredProgram program_;
  MeteredFacts facts_;
  LinuxSource* source_ = nullptr;  // knows the program; the caller owns it
};

class SeccompMethod : public MeteringMethod {
 public:
  std::string name() const override { return "notify"; }
  std::string summary() const override { return "calls wait for the meter: exact, 5 to 30 us each"; }
  bool has_custody(std::uint32_t pid) const override { return custody_of(pid) != Custody::none; }

  Result<std::unique_ptr<MeteredRun>> launch(const std::vector<std::string>& command,
                                             const Options& options) const override {
    auto launched = dpm::launch(command, {.exact_paths = options.exact_paths});
    if (!launched) return launched.error();
    if (auto kept = start_keeper(launched->program()); !kept) return kept.error();
    return std::unique_ptr<MeteredRun>(
        std::make_unique<SeccompRun>(*std::move(launched), SeccompRun::Start::when_ready));
  }

  Result<std::unique_ptr<MeteredRun>> launch_child(const std::vector<std::string>& command,
                                                   const ChildStreams& streams) const override {
    auto launched = [&] {
      const BorrowedStandardStreams borrowed({streams.input, streams.output, streams.error});
      return launch_as_child(command, {.own_session = true});
    }();
    if (!launched) return launched.error();
    // A program that writes to a pipe without a reader is killed: when we are dead the keeper reads.
    std::vector<UniqueFd> outputs;
    outputs.push_back(duplicate(streams.output_reader));
    outputs.push_back(duplicate(streams.error_reader));
    if (auto kept = start_keeper(launched->program(), std::move(outputs)); !kept) return kept.error();
    return std::unique_ptr<MeteredRun>(
        std::make_unique<SeccompRun>(*std::move(launched), SeccompRun::Start::when_told));
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
