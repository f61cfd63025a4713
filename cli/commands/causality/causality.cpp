// dpm causality: which paths requests take through a server.
#include <nlohmann/json.hpp>

#include "answers/reading/trace_history.hpp"
#include "answers/results/causality_results.hpp"
#include "answers/results/ledger_results.hpp"
#include "answers/results/process_groups.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/divided_command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "os/new_file.hpp"
#include "text/printable.hpp"
#include "view/figures.hpp"

namespace dpm::cli {
namespace {

class CausalityCommand : public DividedCommand {
 public:
  std::string name() const override { return "causality"; }
  std::string summary() const override {
    return "Which paths requests take: causality strings, branching, state diagram";
  }
  std::string example() const override { return "dpm causality out/trace --dot states.dot"; }

  void describe(Options& options) override {
    trace_.describe(options);
    describe_computation(options, computation_);
    options.list(
        "--requestor", options_.roles.requestors,
        "A process outside that makes requests, or a pattern such as 'outside 127.0.0.1:*' (default: found); may be "
        "repeated");
    options.list("--system", options_.roles.systems,
                 "A process outside that answers requests, or a pattern (default: found); may be repeated");
    options.value("--most", most_, "How many paths the table shows").check(whole_number).show_default();
    describe_all(options, all_);
    options.value("--dot", dot_, "Write the state diagram in DOT to this new file");
    describe_jobs(options);
  }

  int run(Terminal& terminal) override {
    const auto read = read_history(trace_.trace, computation_, {}, reading());
    if (!read) return refuse(terminal, *this, read.error());
    const auto causality = find_causality(read->history, options_);
    if (!causality) return refuse(terminal, *this, about_trace(read->input, causality.error()));
    const TraceInfo& info = read->input.info;
    const TraceInfo shown = all_ ? info : group_processes(info);
    const Causality rows = all_ ? *causality : group_causality(*causality, shown);
    if (!dot_.empty())
      if (auto done = write_new_file(dot_, view::to_dot(view::state_diagram(rows, shown))); !done)
        return refuse(terminal, *this, done.error());
    if (trace_.json) {
      print_json(causality_json(*causality, info, read->input.ledger), terminal);
    } else {
      terminal.out << causality_text(rows, shown, most_, terminal.width, all_);
    }
    for (const auto& warning : causality->warnings) terminal.err << "warning: " << printable(warning) << '\n';
    print_history_warnings(read->history, terminal);
    print_ledger(read->input.ledger, terminal);
    return kDone;
  }

 private:
  TraceOptions trace_;
  Computation computation_;
  CausalityOptions options_;
  std::size_t most_ = 12;
  bool all_ = false;
  std::string dot_;
};

}  // namespace

std::unique_ptr<Command> make_causality() { return std::make_unique<CausalityCommand>(); }

}  // namespace dpm::cli
