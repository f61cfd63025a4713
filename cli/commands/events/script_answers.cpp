#include "cli/commands/events/script_answers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "analysis/vector_clocks/event_clocks.hpp"
#include "analysis/vector_clocks/snapshot.hpp"
#include "answers/results/snapshot_results.hpp"
#include "cli/scripting/high_level_results.hpp"
#include "cli/scripting/region_results.hpp"
#include "cli/scripting/trace_occurrences.hpp"
#include "text/number_text.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

NameOfProcess names_of(const EventList& list) {
  return [&list](std::uint32_t process) { return list.info.processes.at(process).name; };
}

std::vector<MachineId> references_of(const EventList& list) {
  std::vector<MachineId> references;
  for (const std::uint32_t at : list.order.in_order) {
    const MachineId reference = list.time.reference_of(list.events[at].machine);
    if (std::find(references.begin(), references.end(), reference) == references.end()) references.push_back(reference);
  }
  return references;
}

bool has_action(const EventScript& script, std::initializer_list<HighLevelActionKind> kinds) {
  return std::any_of(script.high_level.begin(), script.high_level.end(), [&](const HighLevelEvent& event) {
    return std::any_of(kinds.begin(), kinds.end(), [&](HighLevelActionKind kind) { return event.does(kind); });
  });
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// The high-level events of the machines that have one reference.
class GroupOfMachines {
 public:
  GroupOfMachines(const EventScript& script, const EventList& list, bool as_json, Terminal& terminal)
      : script_(script),
        list_(list),
        as_json_(as_json),
        terminal_(terminal),
        takes_snapshots_(has_action(script, {HighLevelActionKind::snapshot})),
        occurrences_(script, list.info),
        evaluator_(script, [this](const HighLevelOccurrence& found) { print(found); }) {}

  void add(const Event& event, std::int64_t time_ns) {
    if (!begin_ns_) begin_ns_ = time_ns;
    last_ns_ = time_ns;
    if (takes_snapshots_) snapshot_.add(event);
    occurrences_.add(event, time_ns, [this](const PrimitiveOccurrence& occurrence, const VectorClock& clock) {
      evaluator_.add(occurrence, clock);
    });
  }

  void finish() {
    evaluator_.time_is(last_ns_);
    (as_json_ ? terminal_.err : terminal_.out) << high_level_summary_text(evaluator_, script_);
  }

 private:
  void print(const HighLevelOccurrence& found) {
    const HighLevelEvent& event = script_.high_level[found.event];
    const bool with_snapshot = event.does(HighLevelActionKind::snapshot);
    if (!event.does(HighLevelActionKind::report) && !with_snapshot) return;
    const SnapshotView view{snapshot_, list_.info};
    if (as_json_) {
      Json line = high_level_json(found, script_, names_of(list_));
      if (with_snapshot) line["snapshot"] = snapshot_json(view);
      terminal_.out << dumped(line) << '\n';
      return;
    }
    terminal_.out << fixed(static_cast<double>(found.time_ns - *begin_ns_) * 1e-9, 9) << "  "
                  << high_level_text(found, script_, names_of(list_));
    if (with_snapshot) terminal_.out << snapshot_text(view, terminal_.width);
  }

  const EventScript& script_;
  const EventList& list_;
  bool as_json_;
  Terminal& terminal_;
  bool takes_snapshots_;
  Snapshot snapshot_;
  TraceOccurrences occurrences_;
  std::optional<std::int64_t> begin_ns_;
  std::int64_t last_ns_ = 0;
  EventEvaluator evaluator_;
};

}  // namespace

void print_high_level(const EventScript& script, const EventList& list, bool as_json, Terminal& terminal) {
  for (const MachineId reference : references_of(list)) {
    GroupOfMachines group(script, list, as_json, terminal);
    for (const std::uint32_t at : list.order.in_order)
      if (list.time.reference_of(list.events[at].machine) == reference)
        group.add(list.events[at], list.order.times[at].ns);
    group.finish();
  }
  if (has_action(script, {HighLevelActionKind::stop, HighLevelActionKind::flags, HighLevelActionKind::on,
                          HighLevelActionKind::off}))
    terminal.err
        << "note: stop, flags, on and off act on programs that run (dpm script, dpm control), not on a trace\n";
}

void print_at_once(const EventScript& script, std::size_t a, std::size_t b, const EventList& list, bool as_json,
                   Terminal& terminal) {
  TraceOccurrences occurrences(script, list.info);
  RegionCollector regions(script);
  for (const std::uint32_t at : list.order.in_order)
    occurrences.add(list.events[at], list.order.times[at].ns,
                    [&](const PrimitiveOccurrence& occurrence, const VectorClock&) {
                      regions.add(occurrence, occurrences.knowledge_of(occurrence.process));
                    });
  const std::int64_t begin_ns = list.order.in_order.empty() ? 0 : list.order.times[list.order.in_order.front()].ns;
  const RegionQuestion question{script, regions, a, b, begin_ns, names_of(list)};
  if (as_json)
    terminal.out << dumped(at_once_json(question)) << '\n';
  else
    terminal.out << at_once_text(question);
}

bool print_snapshot(ProcessId process, std::uint32_t count, const EventList& list, bool as_json, Terminal& terminal) {
  Snapshot snapshot;
  EventClocks clocks;
  for (const std::uint32_t at : list.order.in_order) {
    const Event& event = list.events[at];
    const VectorClock& clock = clocks.add(event);
    snapshot.add(event);
    if (event.process != process || snapshot.events_of(process) != count) continue;
    const SnapshotView view{snapshot, list.info, &clock};
    if (as_json)
      terminal.out << dumped(snapshot_json(view)) << '\n';
    else
      terminal.out << snapshot_text(view, terminal.width);
    return true;
  }
  return false;
}

}  // namespace dpm::cli
