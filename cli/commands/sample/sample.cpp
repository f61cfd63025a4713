// dpm sample: what the threads of chosen processes wait for and run on, found by looking at constant intervals.
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/new_file.hpp"
#include "cli/printable.hpp"
#include "cli/sampling/chosen_processes.hpp"
#include "cli/sampling/count_results.hpp"
#include "cli/sampling/sample_loop.hpp"
#include "cli/sampling/trace_samples.hpp"
#include "os/machine.hpp"
#include "sampling/counts/count_file.hpp"
#include "sampling/iterator/task_iterator.hpp"
#include "sampling/proc/proc_sampler.hpp"

namespace dpm::cli {
namespace {

constexpr double kIntervalLeast_s = .001, kIntervalMost_s = 3600, kNsPerSecond = 1e9;

std::string kernel_release() {
  utsname names = {};
  return ::uname(&names) == 0 ? names.release : "";
}

std::uint64_t ns_of(double seconds) { return static_cast<std::uint64_t>(seconds * kNsPerSecond + .5); }

class SampleCommand : public Command {
 public:
  std::string name() const override { return "sample"; }
  std::string summary() const override { return "Sample what processes wait for and run on"; }
  std::string example() const override { return "dpm sample -o build.counts -- make -j4"; }
  std::vector<std::string>* program_words() override { return &command_; }

  void describe(CLI::App& app) override {
    auto* command =
        app.add_option("COMMAND", command_, "A command to start and sample, with all that it starts, after --");
    app.add_option("--of", of_,
                   "Which processes: pid N,N; terminals [pts/N,...]; session [N]; user NAME; cgroup PATH; trace OUT "
                   "(default: those "
                   "of your login session)")
        ->expected(1, 2)
        ->excludes(command);
    interval_ = app.add_option("-i,--interval", interval_s_,
                               "Seconds between two samples; of a trace that has ended about a thousandth of its time")
                    ->capture_default_str();
    app.add_option("--for", for_s_,
                   "Seconds after which to end (default: when the command or all processes have ended, or Control-C)");
    app.add_option(
           "--source", source_,
           "Where the states come from: iterator (one pass inside the kernel, as root), proc, or auto: the iterator "
           "where it is possible")
        ->check(CLI::IsMember({"auto", "iterator", "proc"}))
        ->capture_default_str();
    app.add_option("-o,--output", output_, "A new file for the counts, which 'dpm components' reads");
    app.add_flag("--json", json_, "Print the result as JSON");
  }

  int run(Terminal& terminal) override {
    if (!(interval_s_ >= kIntervalLeast_s && interval_s_ <= kIntervalMost_s))
      return refuse(terminal, *this,
                    Error{fmt::format("-i {:g}: an interval has from {:g} to {:g} seconds", interval_s_,
                                      kIntervalLeast_s, kIntervalMost_s)});
    if (for_s_ < 0) return refuse(terminal, *this, Error{fmt::format("--for {:g}: a time is not negative", for_s_)});
    if (!output_.empty() && ::access(output_.c_str(), F_OK) == 0)
      return refuse(terminal, *this,
                    Error{fmt::format("{} exists already; nothing is overwritten", printable(output_))});
    std::optional<SampledCommand> command;
    auto selection = select(command);
    if (!selection) return refuse(terminal, *this, selection.error());
    if (!*selection) return run_on_recorded(terminal);
    auto looker = open_looker();
    if (!looker) return refuse(terminal, *this, looker.error());
    sampling::CountArray counts({.source = std::string(*looker ? sampling::kIteratorSource : sampling::kProcSource),
                                 .interval_ns = ns_of(interval_s_),
                                 .cores = machine_cores(),
                                 .machine = machine_name(),
                                 .kernel = kernel_release(),
                                 .selection = (*selection)->text});
    sampling::ProcSampler sampler(**std::move(selection), *std::move(looker));
    const bool is_shown = !command && !json_ && ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDIN_FILENO) == 1;
    const SampleLoop loop{ns_of(interval_s_), ns_of(for_s_), is_shown, terminal.colour};
    if (auto done = take_samples(loop, sampler, command ? &*command : nullptr, counts); !done)
      return refuse(terminal, *this, done.error());
    if (auto done = conclude(counts, command.has_value(), terminal); !done)
      return refuse(terminal, *this, done.error());
    return command && command->has_ended() ? command->exit_status() : kDone;
  }

 private:
  int run_on_recorded(Terminal& terminal) const {
    const auto counts = samples_of_trace(of_[1], interval_->count() > 0 ? ns_of(interval_s_) : 0);
    if (!counts) return refuse(terminal, *this, Error{printable(counts.error().what)});
    if (auto done = conclude(*counts, false, terminal); !done) return refuse(terminal, *this, done.error());
    return kDone;
  }

  // Nothing: a trace of which no process runs on this machine.
  Result<std::optional<sampling::Selection>> select(std::optional<SampledCommand>& command) {
    if (of_.size() == 2 && of_.front() == "trace") return running_of_trace(of_[1]);
    auto selection = command_.empty() ? chosen_processes(of_) : started(command);
    if (!selection) return selection.error();
    return std::optional(*std::move(selection));
  }

  Result<sampling::Selection> started(std::optional<SampledCommand>& command) {
    auto prepared = SampledCommand::prepare(command_);
    if (!prepared) return prepared.error();
    command.emplace(std::move(*prepared));
    return sampling::select_tree({command->pid()}, fmt::format("{}", fmt::join(command_, " ")));
  }

  // Null: from /proc.
  Result<std::unique_ptr<sampling::TaskLooker>> open_looker() {
    if (source_ == "proc") return std::unique_ptr<sampling::TaskLooker>();
    auto opened = sampling::open_task_iterator();
    if (opened || source_ == "iterator") return opened;
    why_proc_ = opened.error().what;
    return std::unique_ptr<sampling::TaskLooker>();
  }

  // The command's output is its own: what we print beside it goes where messages go.
  Result<void> conclude(const sampling::CountArray& counts, bool beside_command, Terminal& terminal) const {
    if (!output_.empty())
      if (auto done = write_new_file(output_, sampling::to_text(counts)); !done) return done.error();
    if (json_) {
      auto json = components_json(counts, {.groups = sampling::single_states()});
      if (!why_proc_.empty()) json["why_proc"] = why_proc_;
      terminal.out << json.dump(2) << '\n';
    } else {
      std::ostream& out = beside_command ? terminal.err : terminal.out;
      out << summary_text(counts, terminal.width);
      if (!why_proc_.empty()) out << fmt::format("\nfrom proc, because {}\n", why_proc_);
    }
    if (!output_.empty()) terminal.err << fmt::format("wrote {}\n", printable(output_));
    return {};
  }

  std::vector<std::string> command_, of_;
  std::string output_, source_ = "auto", why_proc_;
  double interval_s_ = .123, for_s_ = 0;
  CLI::Option* interval_ = nullptr;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_sample() { return std::make_unique<SampleCommand>(); }

}  // namespace dpm::cli
