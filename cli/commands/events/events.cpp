// dpm events: all events of a trace, causes before effects, even if the machines' clocks disagree.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/command.hpp"
#include "cli/input/event_keeper.hpp"
#include "cli/input/trace_input.hpp"
#include "cli/results/event_list.hpp"
#include "cli/results/ledger_results.hpp"
#include "model/nearest_name.hpp"

namespace dpm::cli {
namespace {

class EventsCommand : public Command {
 public:
  std::string name() const override { return "events"; }
  std::string summary() const override {
    return "All events, in an order in which each message is sent before it is received";
  }
  std::string example() const override { return "dpm events out/trace --process server | less"; }
  void describe(CLI::App& app) override {
    options_.describe(app);
    app.add_option("--process", only_, "Only events of this process, or with it as peer; repeat for several");
  }

  int run(Terminal& terminal) override {
    ClockAnalysis clocks;
    EventKeeper keeper;
    const auto input = read_trace(options_.trace, {&clocks, &keeper}, ReceiveLength::as_received);
    if (!input) return refuse(terminal, *this, input.error());
    const auto wanted = wanted_processes(input->info);
    if (!wanted) return refuse(terminal, *this, wanted.error());
    const CommonTime time(clocks.result());
    const CommonOrder order = order_in_common(keeper.events(), time);
    const auto is_wanted = [&](const Event& event) {
      return (*wanted)[event.process.value] || (!event.peer.is_none() && (*wanted)[event.peer.value]);
    };
    const EventList list{input->info, keeper.events(), time, order, is_wanted};
    if (options_.json)
      print_events_json(list, terminal.out);
    else
      print_events(list, terminal.out);
    say_what_was_moved(order, terminal);
    print_ledger(input->ledger, terminal);
    return kDone;
  }

 private:
  // Indexed by process, because several processes may have the same name.
  Result<std::vector<bool>> wanted_processes(const TraceInfo& info) const {
    std::vector<bool> wanted(info.processes.size(), only_.empty());
    std::vector<std::string> names;
    for (const ProcessInfo& process : info.processes) names.push_back(process.name);
    for (const std::string& name : only_) {
      if (std::find(names.begin(), names.end(), name) == names.end()) return no_such_process(name, names);
      for (std::size_t p = 0; p < names.size(); ++p)
        if (names[p] == name) wanted[p] = true;
    }
    return wanted;
  }

  static Error no_such_process(const std::string& name, const std::vector<std::string>& names) {
    const std::string nearest = nearest_name(name, names);
    return {"--process: the trace has no process '" + name + "'" +
            (nearest.empty() ? " (dpm statistics lists them)" : "; did you mean '" + nearest + "'?")};
  }

  static void say_what_was_moved(const CommonOrder& order, Terminal& terminal) {
    if (order.moved > 0)
      terminal.err << "note: " << order.moved << (order.moved == 1 ? " event is" : " events are")
                   << " shown later than the clocks say, so that causes come first\n";
    if (order.contradictions > 0)
      terminal.err
          << "warning: " << order.contradictions
          << " messages cause each other in a circle; the trace is damaged, and these messages are not ordered\n";
  }

  TraceOptions options_;
  std::vector<std::string> only_;
};

}  // namespace

std::unique_ptr<Command> make_events() { return std::make_unique<EventsCommand>(); }

}  // namespace dpm::cli
