// dpm merge: combines the traces of several machines or meters into one.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/matching/matching.hpp"
#include "answers/reading/await_recorder.hpp"
#include "answers/reading/trace_input.hpp"
#include "answers/results/ledger_results.hpp"
#include "answers/results/matching_results.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/compress_option.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "filter/event_filter.hpp"
#include "model/unchecked.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"
#include "trace/event_fields.hpp"
#include "trace/merge/trace_union.hpp"
#include "trace/trace_reader.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::cli {
namespace {

struct Log {
  std::string path, label;
  TraceReader reader;
  std::uint64_t events = 0;
};

std::string joined(const std::vector<MachineInfo>& machines) {
  std::string text;
  for (const auto& machine : machines) text += (text.empty() ? "" : ", ") + machine.name;
  return text;
}

// "red" of "logs/red/trace"; the whole path where that is not unique.
std::string label_of(const std::string& path, const std::vector<Log>& others) {
  const std::filesystem::path clean = std::filesystem::path(path + "/").lexically_normal().parent_path();
  const std::filesystem::path own = clean.filename() == "trace" ? clean.parent_path() : clean;
  std::string label = own.filename().string();
  const auto taken = [&](const Log& log) { return log.label == label; };
  if (label.empty() || label == "." || label == ".." || std::any_of(others.begin(), others.end(), taken)) label = path;
  return label;
}

Result<std::vector<Log>> open_logs(const std::vector<std::string>& paths) {
  std::vector<Log> logs;
  std::vector<std::filesystem::path> seen;
  for (const auto& path : paths) {
    const std::string directory = trace_directory(path);
    std::error_code ignored;
    const auto canonical = std::filesystem::weakly_canonical(directory, ignored);
    if (std::find(seen.begin(), seen.end(), canonical) != seen.end())
      return Error{fmt::format("{} is given twice: every event would be in the result twice", path)};
    seen.push_back(canonical);
    await_recorder(directory);
    auto reader = TraceReader::open(directory);
    if (!reader) return reader.error();
    std::string label = label_of(path, logs);
    logs.push_back({path, std::move(label), *std::move(reader), 0});
  }
  return logs;
}

bool has_field(const TraceDescription& description, std::string_view name) {
  for (const auto& filter : description.filters)
    for (const RecordClass& record : filter.classes) {
      const auto& fields = description.layouts[record.layout].fields;
      for (std::size_t i = 0; i < fields.size(); ++i)
        if (same_name(fields[i].name, name) && record.has(i)) return true;
    }
  return false;
}

// Writes complete records, whichever fields the logs' filters left out (their ledgers say what is missing); but not the times
// that no log has.
Result<std::unique_ptr<TraceWriter>> create_trace(const std::string& directory, const TraceUnion& united,
                                                  const std::vector<Log>& logs, bool compressed) {
  const bool any_summaries = std::any_of(logs.begin(), logs.end(), [](const Log& log) {
    return log.reader.description().layouts.size() > program_event_layouts().size();
  });
  const auto layouts = any_summaries ? event_layouts() : program_event_layouts();
  RuleSet all = RuleSet::keep_all(layouts);
  for (const char* field : {"readyTime", "diskTime"})
    if (std::none_of(logs.begin(), logs.end(),
                     [field](const Log& log) { return has_field(log.reader.description(), field); }))
      all.discard(layouts, field);
  TraceDescription description{{layouts.begin(), layouts.end()}, {}};
  for (const Log& log : logs)
    for (const auto& filter : log.reader.description().filters)
      description.filters.push_back(
          {united.info().filters.at(description.filters.size()), filter.rules, all.classes()});
  return TraceWriter::create(directory, std::move(description), {.compressed = compressed});
}

// A warning that several logs have is shown once: "red, blue: ...".
using SameWarnings = std::vector<std::pair<std::string, std::string>>;  // labels, text

void add_warning(SameWarnings& warnings, const std::string& label, const std::string& text) {
  const auto same =
      std::find_if(warnings.begin(), warnings.end(), [&](const auto& known) { return known.second == text; });
  if (same == warnings.end()) {
    warnings.emplace_back(label, text);
  } else {
    same->first += ", " + label;
  }
}

void add_ledger(Ledger& sum, const Ledger& ledger, const std::string& label) {
  // The merged trace begins where the logs do: what --window removed of them is only in their warnings.
  sum.seen += ledger.seen - ledger.removed;
  sum.kept += ledger.kept - ledger.removed;
  sum.filtered += ledger.filtered;
  sum.lost += ledger.lost;
  for (const auto& loss : ledger.losses) sum.losses.push_back({label + ": " + loss.reason, loss.events});
}

// Copies one log after the other: the events of each process keep their order; there is no order between processes.
Ledger copy_events(std::vector<Log>& logs, TraceUnion& united, TraceWriter& writer) {
  Ledger ledger;
  SameWarnings warnings;
  std::vector<Event> events;
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    Log& log = logs[i];
    const TraceInfo& theirs = log.reader.info();
    const std::uint64_t refused_before = united.refused_events();
    log.reader.read([&](std::span<const Event> batch) {
      for (const Event& event : batch) {
        const std::size_t before = events.size();
        united.remap(i, std::span(&event, 1), events);
        if (events.size() == before) continue;
        const std::uint16_t filter = united.filters_of(i)[theirs[event.process].filter];
        verdicts.push_back({filter, static_cast<ClassIndex>(layout_index(event.type))});
      }
      writer.on_records(events, verdicts);
      log.events += events.size();
      events.clear();
      verdicts.clear();
    });
    add_ledger(ledger, log.reader.ledger(), log.label);
    for (const auto& warning : log.reader.ledger().warnings) add_warning(warnings, log.label, warning);
    if (const std::uint64_t refused = united.refused_events() - refused_before; refused > 0) {
      ledger.kept -= refused;
      ledger.lost += refused;
      ledger.losses.push_back({log.label + ": events that refer to ids missing from its trace.json", refused});
    }
  }
  for (const auto& [labels, text] : warnings) ledger.warnings.push_back(labelled_warning(labels, text));
  return ledger;
}

class MergeCommand : public Command {
 public:
  std::string name() const override { return "merge"; }
  std::string summary() const override { return "Combine the traces of several machines, or meters"; }
  std::string example() const override { return "dpm merge out-red out-green out-blue -o all"; }

  void describe(Options& options) override {
    options.list("LOG", paths_, "Trace directories, or output directories of runs").required();
    options.value("-o,--output", output_, "The trace to write; nothing is overwritten").required();
    describe_compress(options, compress_);
    options.flag("--json", json_, "Print the same numbers as JSON");
  }

  int run(Terminal& terminal) override {
    auto logs = open_logs(paths_);
    if (!logs) return refuse(terminal, *this, logs.error());
    TraceUnion united;
    for (const Log& log : *logs) united.add(log.reader.info(), log.label);
    auto writer = create_trace(output_, united, *logs, compress_);
    if (!writer) return refuse(terminal, *this, writer.error());
    (*writer)->on_begin(united.info());
    Ledger ledger = copy_events(*logs, united, **writer);
    for (const auto& warning : united.warnings()) ledger.warnings.push_back(warning);
    (*writer)->on_end(ledger);
    if (const auto& written = (*writer)->status(); !written) {
      terminal.err << "dpm merge: " << printable(written.error().what) << '\n';
      return kFellShort;
    }
    return report(*logs, terminal);
  }

 private:
  int report(const std::vector<Log>& logs, Terminal& terminal) const {
    MatchingAnalysis matching;
    const auto merged = read_trace(output_, {&matching});
    if (!merged) return refuse(terminal, *this, merged.error());
    if (json_) {
      print_json(json(logs, *merged, matching.result()), terminal);
    } else {
      TextTable table({"input", "machines", ">processes", ">events"});
      for (const Log& log : logs)
        table.add_row({log.label, joined(log.reader.info().machines),
                       std::to_string(log.reader.info().processes.size()), std::to_string(log.events)});
      const auto& info = merged->info;
      const auto metered = std::count_if(info.processes.begin(), info.processes.end(), [](const auto& process) {
        return process.pid != 0 || process.in_computation;
      });
      table.add_row(
          {"all", std::to_string(info.machines.size()), std::to_string(metered), std::to_string(merged->ledger.kept)});
      terminal.out << table.to_text(terminal.width) << '\n' << matching_text(matching.result(), terminal.width);
    }
    terminal.err << "wrote " << printable(output_) << '\n';
    print_ledger(merged->ledger, terminal);
    return kDone;
  }

  nlohmann::ordered_json json(const std::vector<Log>& logs, const TraceInput& merged, const Matching& matching) const {
    using Json = nlohmann::ordered_json;
    const auto names = [](const std::vector<MachineInfo>& machines) {
      Json list = Json::array();
      for (const auto& machine : machines) list.push_back(machine.name);
      return list;
    };
    Json inputs = Json::array();
    for (const Log& log : logs)
      inputs.push_back({{"path", log.path},
                        {"label", log.label},
                        {"finished", log.reader.is_finished()},
                        {"machines", names(log.reader.info().machines)},
                        {"processes", log.reader.info().processes.size()},
                        {"events", log.events}});
    return {{"trace", output_},
            {"inputs", std::move(inputs)},
            {"machines", names(merged.info.machines)},
            {"messages", matching_json(matching)},
            {"ledger", ledger_json(merged.ledger)}};
  }

  std::vector<std::string> paths_;
  std::string output_;
  bool json_ = false, compress_ = false;
};

}  // namespace

std::unique_ptr<Command> make_merge() { return std::make_unique<MergeCommand>(); }

}  // namespace dpm::cli
