#include "formats/export/paje.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "formats/export/message_join.hpp"
#include "formats/export/names.hpp"
#include "formats/export/sorted_lines.hpp"
#include "formats/export/text_output.hpp"

namespace dpm {
namespace {

constexpr std::string_view kDefinitions = R"(%EventDef PajeDefineContainerType 0
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineEventType 2
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineLinkType 3
%  Alias string
%  Type string
%  StartContainerType string
%  EndContainerType string
%  Name string
%EndEventDef
%EventDef PajeDefineEntityValue 4
%  Alias string
%  Type string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeCreateContainer 5
%  Time date
%  Alias string
%  Type string
%  Container string
%  Name string
%EndEventDef
%EventDef PajeDestroyContainer 6
%  Time date
%  Type string
%  Name string
%EndEventDef
%EventDef PajeSetState 7
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajeNewEvent 8
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajeStartLink 9
%  Time date
%  Type string
%  Container string
%  StartContainer string
%  Value string
%  Key string
%EndEventDef
%EventDef PajeEndLink 10
%  Time date
%  Type string
%  Container string
%  EndContainer string
%  Value string
%  Key string
%EndEventDef
0 CM 0 "machine"
0 CP CM "process"
1 SP CP "activity"
2 EP CP "event"
2 EL 0 "lost"
3 LM 0 CP CP "message"
4 SR SP "runs" "0.2 0.6 0.3"
4 SW SP "waits" "0.8 0.8 0.8"
)";

// The format has no way to write a quote inside quotes.
std::string paje_text(std::string_view text) {
  std::string clean = clean_text(text);
  std::replace(clean.begin(), clean.end(), '"', '\'');
  return '"' + clean + '"';
}

constexpr std::int64_t kSecond_ns = 1'000'000'000;

class PajeExporter : public Exporter {
 public:
  PajeExporter(TextOutput output, const TimeAxis& time) : output_(std::move(output)), time_(time) {}

  void on_begin(const TraceInfo& /*info*/) override {}

  void on_events(std::span<const Event> batch) override {
    for (const Event& event : batch) add(event);
  }

  Result<void> finish(const TraceInfo& info, const Ledger& ledger) override {
    output_.write(kDefinitions);
    for (const EventType type : kEventTypes)
      output_.print("4 {} EP \"{}\" \"0.2 0.2 0.8\"\n", name_of(type), name_of(type));
    print_containers(info);
    for (const Loss& loss : ledger.losses)
      output_.print("8 0.000000000 EL 0 {}\n", paje_text(fmt::format("{} events: {}", loss.events, loss.reason)));
    for (const std::string& warning : ledger.warnings)
      output_.print("8 0.000000000 EL 0 {}\n", paje_text("warning: " + warning));
    if (auto done = lines_.take([&](std::string_view line) { output_.write(line); }); !done) return done;
    // pj_dump leaves out what happens in the instant at which a container ends.
    const std::string end = fmt::format("{}.{:09}", (last_ns_ + 1) / kSecond_ns, (last_ns_ + 1) % kSecond_ns);
    for (std::size_t p = 0; p < info.processes.size(); ++p) output_.print("6 {} CP p{}\n", end, p);
    for (std::size_t m = 0; m < info.machines.size() + (any_elsewhere(info) ? 1 : 0); ++m)
      output_.print("6 {} CM m{}\n", end, m);
    return output_.close();
  }

 private:
  // Processes without a machine have a container of their own.
  static bool any_elsewhere(const TraceInfo& info) {
    return std::any_of(info.processes.begin(), info.processes.end(),
                       [&](const ProcessInfo& process) { return process.machine.value >= info.machines.size(); });
  }

  void print_containers(const TraceInfo& info) {
    for (std::size_t m = 0; m < info.machines.size(); ++m)
      output_.print("5 0.000000000 m{} CM 0 {}\n", m, paje_text(info.machines[m].name));
    if (any_elsewhere(info)) output_.print("5 0.000000000 m{} CM 0 \"elsewhere\"\n", info.machines.size());
    const auto labels = process_labels(info);
    for (std::size_t p = 0; p < labels.size(); ++p) {
      const MachineId machine = info.processes[p].machine;
      output_.print("5 0.000000000 p{} CP m{} {}\n", p, std::min<std::size_t>(machine.value, info.machines.size()),
                    paje_text(labels[p]));
      output_.print("7 0.000000000 SP p{} SR\n", p);
    }
  }

  void add(const Event& event) {
    if (event.process.is_none()) return;
    const std::uint32_t process = event.process.value;
    if (process >= waits_.size()) waits_.resize(process + std::size_t{1});
    const std::int64_t time_ns = std::max<std::int64_t>(time_.ns(event), 0);
    last_ns_ = std::max(last_ns_, time_ns);
    add_line(FMT_COMPILE("8 {}.{:09} EP p{} {}\n"), time_ns, process, name_of(event.type));
    if (event.type != EventType::message_queued) {
      const bool waits = event.type == EventType::receive_call;
      if (waits != waits_[process])
        add_line(FMT_COMPILE("7 {}.{:09} SP p{} {}\n"), time_ns, process, std::string_view(waits ? "SW" : "SR"));
      waits_[process] = waits;
    }
    if (const auto message = messages_.add(event, 0, time_ns)) {
      const std::int64_t begin_ns = message->sent.time_ns, end_ns = std::max(begin_ns, message->received.time_ns);
      ++links_;
      add_line(FMT_COMPILE("9 {}.{:09} LM 0 p{} message k{}\n"), begin_ns, message->sent.process, links_);
      add_line(FMT_COMPILE("10 {}.{:09} LM 0 p{} message k{}\n"), end_ns, message->received.process, links_);
    }
  }

  // A line that begins with its kind and its time, in seconds.
  template <typename Compiled, typename... Arguments>
  void add_line(const Compiled& format, std::int64_t time_ns, const Arguments&... arguments) {
    line_.clear();
    fmt::format_to(std::back_inserter(line_), format, time_ns / kSecond_ns, time_ns % kSecond_ns, arguments...);
    lines_.add(time_ns, {line_.data(), line_.size()});
  }

  TextOutput output_;
  const TimeAxis& time_;
  MessageJoin messages_;
  SortedLines lines_;
  fmt::memory_buffer line_;
  std::vector<bool> waits_;  // by process
  std::int64_t last_ns_ = 0;
  std::uint64_t links_ = 0;
};

}  // namespace

ExportFormat make_paje_export_format() {
  return {"paje", "a trace for ViTE and pajeng", true, true,
          [](const std::string& path, const TimeAxis& time,
             const ExportOptions& /*options*/) -> Result<std::unique_ptr<Exporter>> {
            auto output = TextOutput::create(path);
            if (!output) return output.error();
            return std::unique_ptr<Exporter>(std::make_unique<PajeExporter>(*std::move(output), time));
          }};
}

}  // namespace dpm
