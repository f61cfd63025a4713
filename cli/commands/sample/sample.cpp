// dpm sample: what the threads of chosen processes wait for and run on, found by looking at constant intervals.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "answers/sampling/chosen_processes.hpp"
#include "answers/sampling/count_results.hpp"
#include "answers/sampling/diagnostic_results.hpp"
#include "answers/sampling/kept_counts.hpp"
#include "answers/sampling/request_rate.hpp"
#include "answers/sampling/sampler_setup.hpp"
#include "answers/sampling/stack_file.hpp"
#include "answers/sampling/stack_results.hpp"
#include "answers/sampling/trace_samples.hpp"
#include "answers/sampling/wait_results.hpp"
#include "cli/command.hpp"
#include "cli/sampling/sample_loop.hpp"
#include "os/local_clock.hpp"
#include "os/new_file.hpp"
#include "sampling/proc/proc_sampler.hpp"
#include "sampling/stacks/stack_sampler.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

constexpr double kIntervalLeast_s = .001, kIntervalMost_s = 3600, kNsPerSecond = 1e9;

std::uint64_t ns_of(double seconds) { return static_cast<std::uint64_t>(seconds * kNsPerSecond + .5); }

class SampleCommand : public Command {
 public:
  std::string name() const override { return "sample"; }
  std::string summary() const override { return "Sample what processes wait for and run on"; }
  std::string example() const override { return "dpm sample -o build.counts -- make -j4"; }
  std::vector<std::string>* program_words() override { return &command_; }

  void describe(Options& options) override {
    const Option command =
        options.list("COMMAND", command_, "A command to start and sample, with all that it starts, after --");
    options
        .list("--of", of_,
              "Which processes: pid N,N; terminals [pts/N,...]; session [N]; user NAME; cgroup PATH; trace OUT "
              "(default: those "
              "of your login session)")
        .words(1, 2)
        .excludes(command);
    options
        .value("--requests", server_,
               "With --of trace OUT: how many requests a second this process of it gets is a measure of workload "
               "('dpm sample report --by requests')")
        .excludes(command);
    interval_ = options
                    .value("-i,--interval", interval_s_,
                           "Seconds between two samples; of a trace that has ended about a thousandth of its time")
                    .show_default();
    options.value(
        "--for", limit_,
        "End after this time, such as 30s or 5m (default: when the command or all processes have ended, or Control-C)");
    count_ = options.value("--count", count_most_, "Samples after which to end").check(whole_number);
    options
        .value(
            "--source", source_,
            "Where the states come from: iterator (one pass inside the kernel, as root), proc, or auto: the iterator "
            "where it is possible and does not cost more")
        .one_of({"auto", "iterator", "proc"})
        .show_default();
    options.value("-o,--output", output_, "A new file for the counts, which 'dpm sample report' reads");
    options.value("--log", log_,
                  "A new file for what each thread did at each sample, which 'dpm blame --samples' joins with a trace");
    options.value(
        "--stacks", stacks_,
        "A new file for the call stacks of running threads, 99 a second of CPU time: *.folded or *.txt for folded "
        "text, *.json for speedscope. Also prints the functions with the most CPU time");
    options.flag("--waits", shows_waits_,
                 "Also at which descriptors each process waits, and which processes have the other ends");
    options.flag(
        "--diagnostics", shows_diagnostics_,
        "Also how the times were kept, how many samples of each resource are bad, and where threads were whose "
        "state is not recognised");
    options.flag("--json", json_, "Print the result as JSON");
  }

  int run(Terminal& terminal) override {
    of_ = choice_words(of_);
    if (!(interval_s_ >= kIntervalLeast_s && interval_s_ <= kIntervalMost_s))
      return refuse(terminal, *this,
                    Error{fmt::format("-i {:g}: an interval has from {:g} to {:g} seconds", interval_s_,
                                      kIntervalLeast_s, kIntervalMost_s)});
    if (count_->is_given() && count_most_ == 0)
      return refuse(terminal, *this, Error{"--count 0: without samples there is nothing to count"});
    const std::array<std::string, 3> new_files = {output_, log_, stacks_};
    if (auto good = check_new_files(new_files); !good) return refuse(terminal, *this, good.error());
    if (!server_.empty() && !(of_.size() == 2 && of_.front() == "trace"))
      return refuse(terminal, *this, Error{"--requests needs --of trace OUT, where the requests are"});
    if (auto done = open_output(); !done) return refuse(terminal, *this, done.error());
    std::optional<SampledCommand> command;
    auto selection = select(command);
    if (!selection) return refuse(terminal, *this, selection.error());
    if (!*selection) return run_on_recorded(terminal);
    auto made = set_up_sampler(source_, ns_of(interval_s_), **selection);
    if (!made) return refuse(terminal, *this, made.error());
    why_proc_ = made->why_proc;
    auto requests = open_requests();
    if (!requests) return refuse(terminal, *this, Error{printable(requests.error().what)});
    if (auto done = open_log(made->setup); !done) return refuse(terminal, *this, done.error());
    if (auto done = open_stacks(); !done) return refuse(terminal, *this, done.error());
    sampling::CountArray counts(std::move(made->setup));
    sampling::ProcSampler sampler(**selection, std::move(made->looker));
    if (stack_sampler_ && command) stack_sampler_->follow_command(command->pid());
    if (stack_sampler_ && !command) stack_sampler_->follow((*selection)->pids);
    if (*requests) sampler.count_requests([&] { return (*requests)->level(steady_clock_ns()); });
    const bool is_shown = !command && !json_ && ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDIN_FILENO) == 1;
    const SampleLoop loop{.interval_ns = ns_of(interval_s_),
                          .most_ns = static_cast<std::uint64_t>(limit_.value_or(Duration{}).ns),
                          .samples_most = count_most_,
                          .shows_table = is_shown,
                          .colour = terminal.colour,
                          .log = log_writer_ ? &*log_writer_ : nullptr,
                          .waits = shows_waits_ ? &waits_ : nullptr,
                          .stacks = stack_sampler_ ? &*stack_sampler_ : nullptr,
                          .kept = kept_ ? &*kept_ : nullptr};
    if (auto done = take_samples(loop, sampler, command ? &*command : nullptr, counts, diagnostics_); !done)
      return refuse(terminal, *this, done.error());
    if (stack_sampler_) named_stacks_ = std::move(*stack_sampler_).finish();
    const auto done = conclude(counts, command.has_value(), terminal);
    if (const auto why = why_nothing_was_found(counts, **selection); !why.empty())
      terminal.err << "dpm sample: " << printable(why) << '\n';
    if (!done) return refuse(terminal, *this, done.error());
    return command && command->has_ended() ? command->exit_status() : kDone;
  }

 private:
  Result<std::optional<RequestRate>> open_requests() const {
    if (server_.empty()) return std::optional<RequestRate>();
    auto rate = RequestRate::open(of_[1], server_);
    if (!rate) return rate.error();
    return std::optional(*std::move(rate));
  }

  // Before the first sample: what cannot be written is refused then, and not after a day.
  Result<void> open_output() {
    if (output_.empty()) return {};
    auto created = KeptCounts::create(output_);
    if (!created) return created.error();
    kept_.emplace(*std::move(created));
    return {};
  }

  Result<void> open_log(const sampling::SamplingSetup& setup) {
    if (log_.empty()) return {};
    auto created = sampling::StateLogWriter::create(log_, setup, local_clock_offset_ns());
    if (!created) return created.error();
    log_writer_.emplace(*std::move(created));
    return {};
  }

  Result<void> open_stacks() {
    if (stacks_.empty()) return {};
    auto file = StackFile::create(stacks_);
    if (!file) return file.error();
    auto sampler = sampling::StackSampler::open();
    if (!sampler) return Error{"--stacks: " + sampler.error().what};
    stack_sampler_.emplace(*std::move(sampler));
    stack_file_.emplace(*std::move(file));
    return {};
  }

  int run_on_recorded(Terminal& terminal) {
    if (!log_.empty())
      return refuse(terminal, *this,
                    Error{"--log: 'dpm blame' divides the time of a trace that has ended without samples"});
    if (count_->is_given())
      return refuse(terminal, *this, Error{"--count: of a trace that has ended, -i says how many samples it has"});
    if (!stacks_.empty())
      return refuse(terminal, *this, Error{"--stacks: the processes of this trace no longer run on this machine"});
    if (shows_waits_)
      return refuse(terminal, *this, Error{"--waits: the processes of this trace no longer run on this machine"});
    if (shows_diagnostics_)
      return refuse(terminal, *this, Error{"--diagnostics: of a trace that has ended no sample can be missed or bad"});
    const auto counts = samples_of_trace(of_[1], interval_->is_given() ? ns_of(interval_s_) : 0, server_);
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

  // The command's output is its own: what we print beside it goes where messages go. It is printed whether or not the files
  // could be written.
  Result<void> conclude(const sampling::CountArray& counts, bool beside_command, Terminal& terminal) {
    if (json_) {
      auto json = components_json(counts, {.groups = sampling::single_states()});
      if (!why_proc_.empty()) json["why_proc"] = why_proc_;
      if (shows_waits_) json["waits"] = waits_json(waits_);
      if (named_stacks_) json["stacks"] = stacks_json(*named_stacks_);
      if (counts.setup().source != sampling::kTraceSource) json["diagnostics"] = diagnostics_json(diagnostics_, counts);
      terminal.out << json.dump(2) << '\n';
    } else {
      std::ostream& out = beside_command ? terminal.err : terminal.out;
      out << summary_text(counts, terminal.width);
      if (shows_waits_) out << '\n' << waits_text(waits_, terminal.width);
      if (named_stacks_) out << '\n' << stacks_text(*named_stacks_, terminal.width);
      if (shows_diagnostics_) out << '\n' << diagnostics_text(diagnostics_, counts, terminal.width);
      if (!why_proc_.empty()) out << fmt::format("\nfrom proc, because {}\n", why_proc_);
    }
    const Result<void> kept = kept_ ? kept_->write(counts) : Result<void>();
    const Result<void> logged = log_writer_ ? log_writer_->status() : Result<void>();
    const Result<void> stacked =
        named_stacks_ ? stack_file_->write(*named_stacks_, counts.setup().selection) : Result<void>();
    if (kept_ && kept) terminal.err << fmt::format("wrote {}\n", printable(output_));
    if (log_writer_ && logged) terminal.err << fmt::format("wrote {}\n", printable(log_));
    if (named_stacks_ && stacked) terminal.err << fmt::format("wrote {}\n", printable(stacks_));
    std::string failed;
    for (const auto& written : {kept, logged, stacked})
      if (!written) failed += (failed.empty() ? "" : "; ") + written.error().what;
    if (!failed.empty()) return Error{failed};
    return {};
  }

  std::vector<std::string> command_, of_;
  std::string server_, output_, log_, stacks_, source_ = "auto", why_proc_;
  double interval_s_ = .123;
  std::optional<Duration> limit_;
  std::uint64_t count_most_ = 0;
  std::optional<Option> interval_, count_;
  std::optional<KeptCounts> kept_;
  std::optional<sampling::StateLogWriter> log_writer_;
  std::optional<StackFile> stack_file_;
  std::optional<sampling::StackSampler> stack_sampler_;
  std::optional<sampling::NamedStacks> named_stacks_;  // at the end
  sampling::WaitPlaces waits_;
  sampling::Diagnostics diagnostics_;
  bool json_ = false, shows_waits_ = false, shows_diagnostics_ = false;
};

}  // namespace

std::unique_ptr<Command> make_sample() { return std::make_unique<SampleCommand>(); }

}  // namespace dpm::cli
