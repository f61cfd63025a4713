// dpm calibrate: what messages, waking and metering cost on this machine, as a file for dpm predict --delays.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/calibrate/calibration_results.hpp"
#include "cli/calibrate/calibration_run.hpp"
#include "cli/command.hpp"
#include "cli/meter/doctor_results.hpp"
#include "cli/meter/source_option.hpp"
#include "cli/output_folder.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "os/new_file.hpp"

namespace dpm::cli {
namespace {

constexpr int kMoreOften = 3;

class CalibrateCommand : public Command {
 public:
  std::string name() const override { return "calibrate"; }
  std::string summary() const override { return "Measure what messages, waking and metering cost on this machine"; }
  std::string example() const override {
    return "dpm calibrate -o here.json; dpm predict out --delays here.json --placement two-cores.json";
  }

  void describe(Options& options) override {
    options.value("-o,--output", output_, "A new file for the delay model and the cost of metering");
    options.flag("--json", json_, "Print that file instead of tables");
    options.value("--over", over_, "The transport whose times the delay model has: tcp, unix or pipe")
        .one_of({"tcp", "unix", "pipe"})
        .show_default();
    options.flag("--all", all_, "Measure the other two as well, for the tables");
    options.flag("--only", only_, "Measure only the transport of --over, as without --all").hide();
    options
        .list("--cores", cores_,
              "Two cores to measure between, such as 0 1 (default: the first two); the same core twice: within it")
        .words(2, 2)
        .check(whole_number);
    options
        .value("--repeat", plan_.repeats,
               "How often everything is measured; the median counts. Figures that vary much are measured up to three "
               "times as often")
        .between(1, 1000)
        .show_default();
    options.value("--messages", plan_.messages, "How many messages each time").between(10u, 1000000u).show_default();
    source_.describe(options);
    options.list("--load", load_, "Be the program that is measured").hide().words(1, 16);
  }

  int run(Terminal& terminal) override {
    if (!load_.empty()) return be_the_load(terminal);
    if (auto done = complete_plan(); !done) return refuse(terminal, *this, done.error());
    if (!output_.empty() && ::access(output_.c_str(), F_OK) == 0)  // before the measurement, not after it
      return refuse(terminal, *this, Error{output_ + " exists already: name a new file, nothing is overwritten"});
    if (!can_meter(diagnose(probe_capabilities())))
      return refuse(terminal, *this,
                    Error{"programs cannot be metered here, so the cost of metering cannot be measured ('dpm "
                          "doctor' says why)"});
    const auto source = source_.choose({});
    if (!source) return refuse(terminal, *this, source.error());
    plan_.source = source->methods.front()->name();
    plan_.meter_aside = !source->methods.front()->notifies();
    const auto folder = OutputFolder::scratch();
    if (!folder) return refuse(terminal, *this, folder.error());
    ProgressLine progress(terminal);
    const auto result = run_calibration(plan_, folder->path(), [&](const std::string& what, int step, int steps) {
      progress.show(what + ", " + std::to_string(step) + " of " + std::to_string(steps));
    });
    progress.clear();
    folder->remove();
    if (!result) return refuse(terminal, *this, result.error());
    const auto document = calibration_json(*result);
    if (!output_.empty())
      if (auto done = write_new_file(output_, document.dump(2) + "\n"); !done)
        return refuse(terminal, *this, done.error());
    if (!result->unusable.empty())
      terminal.err << "warning: not usable, because they vary too much (other work on the machine? as root: chrt -r 1 "
                      "dpm calibrate):\n";
    for (const auto& figure : result->unusable) terminal.err << "  " << figure << '\n';
    if (json_) {
      print_json(document, terminal);
    } else {
      terminal.out << calibration_text(*result, terminal.width);
      if (!output_.empty()) terminal.out << "wrote " << output_ << '\n';
    }
    return kDone;
  }

 private:
  Result<void> complete_plan() {
    plan_.over = *transport_from_name(over_);
    plan_.repeats_most = kMoreOften * plan_.repeats;
    plan_.transports = {plan_.over};
    if (all_ && !only_) plan_.transports = {Transport::tcp, Transport::unix_socket, Transport::pipe};
    const auto usable = usable_cores();
    if (cores_.empty()) {
      plan_.core_a = usable.empty() ? 0 : usable.front();
      plan_.core_b = usable.size() < 2 ? plan_.core_a : usable[1];
      return {};
    }
    plan_.core_a = static_cast<int>(cores_[0]);
    plan_.core_b = static_cast<int>(cores_[1]);
    for (const int core : {plan_.core_a, plan_.core_b}) {
      if (std::find(usable.begin(), usable.end(), core) != usable.end()) continue;
      std::string there;
      for (const int one : usable) there += " " + std::to_string(one);
      return Error{fmt::format("dpm may not use core {} (it may use:{})", core, there)};
    }
    return {};
  }

  int be_the_load(Terminal& terminal) {
    const auto plan = plan_from_words(load_);
    if (!plan) return refuse(terminal, *this, plan.error());
    const auto figures = run_load(*plan);
    if (!figures) return refuse(terminal, *this, figures.error());
    terminal.out << figures->to_text();
    return kDone;
  }

  CalibrationPlan plan_;
  SourceOption source_;
  std::string output_, over_ = "tcp";
  std::vector<std::string> load_;
  std::vector<std::uint32_t> cores_;
  bool json_ = false;
  bool all_ = false, only_ = false;
};

}  // namespace

std::unique_ptr<Command> make_calibrate() { return std::make_unique<CalibrateCommand>(); }

}  // namespace dpm::cli
