// dpm events: all events of a trace, causes before effects, even if the machines' clocks disagree.
#include <algorithm>
#include <charconv>

#include "answers/reading/event_keeper.hpp"
#include "answers/reading/trace_input.hpp"
#include "answers/results/clocks_results.hpp"
#include "answers/results/event_list.hpp"
#include "answers/results/ledger_results.hpp"
#include "cli/command.hpp"
#include "cli/commands/events/script_answers.hpp"
#include "cli/scripting/script_file.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "model/process_names.hpp"

namespace dpm::cli {
namespace {

class EventsCommand : public Command {
 public:
  std::string name() const override { return "events"; }
  std::string summary() const override {
    return "All events, in an order in which each message is sent before it is received";
  }
  std::string example() const override { return "dpm events out/trace --process server | less"; }
  void describe(Options& options) override {
    options_.describe(options);
    options.flag("--vector", vector_,
                 "With each event its vector clock: how many events of each process happened before");
    options.value("--script", script_, "Instead of all events: the high-level events of this event script");
    options
        .list("--at-once", at_once_,
              "Instead of all events: whether these two regions of the script could have been at once")
        .type_name("REGION REGION")
        .words(2, 2);
    options.value("--snapshot", snapshot_,
                  "Instead of all events: the events of each process, and the messages in transit, at the moment of "
                  "this event: PROCESS:N, its N-th event");
    options.list("--process", only_, "Only events of this process, or with it as peer; repeat for several");
  }

  int run(Terminal& terminal) override {
    const auto script = load_script();
    if (!script) return refuse(terminal, *this, script.error());
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
    const EventList list{input->info, keeper.events(), time, order, is_wanted, vector_};
    if (auto answered = answer(*script, list, terminal); !answered) return refuse(terminal, *this, answered.error());
    print_clock_notes(clocks.result(), input->info, terminal.err);
    say_what_was_moved(order, terminal);
    print_ledger(input->ledger, terminal);
    return kDone;
  }

 private:
  Result<EventScript> load_script() {
    if (script_.empty()) {
      if (at_once_.empty()) return EventScript{};
      return Error{"--at-once takes regions of an event script; which one? --script FILE"};
    }
    auto script = load_event_script(script_);
    if (!script) return script;
    for (const std::string& name : at_once_)
      if (auto region = region_of(*script, name); !region) return region.error();
    return script;
  }

  static Result<std::size_t> region_of(const EventScript& script, const std::string& name) {
    std::vector<std::string> names;
    for (const RegionDefinition& region : script.regions) names.push_back(region.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    return Error{"--at-once: the script defines no region '" + name + "'" + did_you_mean(name, names)};
  }

  Result<void> answer(const EventScript& script, const EventList& list, Terminal& terminal) const {
    if (!snapshot_.empty()) return answer_snapshot(list, terminal);
    if (!at_once_.empty())
      print_at_once(script, region_of(script, at_once_[0]).value(), region_of(script, at_once_[1]).value(), list,
                    options_.json, terminal);
    else if (!script_.empty())
      print_high_level(script, list, options_.json, terminal);
    else if (options_.json)
      print_events_json(list, terminal.out);
    else
      print_events(list, terminal.out);
    return {};
  }

  // "server:12".
  Result<void> answer_snapshot(const EventList& list, Terminal& terminal) const {
    const std::size_t colon = snapshot_.rfind(':');
    std::uint32_t count = 0;
    const char* const end = snapshot_.data() + snapshot_.size();
    if (colon == std::string::npos || std::from_chars(snapshot_.data() + colon + 1, end, count).ptr != end ||
        count == 0)
      return Error{"--snapshot: an event is PROCESS:N, the N-th of a process from 1 (--vector counts them)"};
    const std::string name = snapshot_.substr(0, colon);
    if (const auto known = check_process_names(list.info, {name}); !known)
      return Error{"--snapshot: " + known.error().what};
    const auto& processes = list.info.processes;
    const auto found = std::find_if(processes.begin(), processes.end(),
                                    [&](const ProcessInfo& process) { return process.name == name; });
    const ProcessId process{static_cast<std::uint32_t>(found - processes.begin())};
    if (print_snapshot(process, count, list, options_.json, terminal)) return {};
    return Error{"--snapshot: " + name + " has fewer than " + std::to_string(count) + " events"};
  }

  Result<std::vector<bool>> wanted_processes(const TraceInfo& info) const {
    if (const auto known = check_process_names(info, only_); !known) return Error{"--process: " + known.error().what};
    std::vector<bool> wanted(info.processes.size(), only_.empty());
    for (std::uint32_t p = 0; p < wanted.size(); ++p)
      if (is_called_one_of(info, ProcessId{p}, only_)) wanted[p] = true;
    return wanted;
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
  std::string script_, snapshot_;
  std::vector<std::string> at_once_;
  bool vector_ = false;
};

}  // namespace

std::unique_ptr<Command> make_events() { return std::make_unique<EventsCommand>(); }

}  // namespace dpm::cli
