#include "formats/export/csv.hpp"

#include <vector>

#include "formats/export/names.hpp"
#include "formats/export/text_output.hpp"

namespace dpm {
namespace {

// In quotes; a quote inside is doubled. A spreadsheet computes a cell that begins as a formula, also in quotes, and names come from outside: the
// apostrophe makes it a text.
std::string csv_text(std::string_view text) {
  constexpr std::string_view kFormulas = "=+-@\t\r";
  std::string quoted = "\"";
  if (!text.empty() && kFormulas.find(text.front()) != std::string_view::npos) quoted += '\'';
  for (const char c : clean_text(text)) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

class CsvExporter : public Exporter {
 public:
  CsvExporter(TextOutput output, const TimeAxis& time) : output_(std::move(output)), time_(time) {}

  void on_begin(const TraceInfo& info) override {
    info_ = &info;
    output_.write(
        "type,process,process_name,machine,time_ns,axis_ns,cpu_ns,ready_ns,disk_ns,peer,peer_name,channel,channel_name,"
        "sequence,bytes,code,message,inferred,note\r\n");
  }

  void on_events(std::span<const Event> batch) override {
    for (std::size_t p = processes_.size(); p < info_->processes.size(); ++p)
      processes_.push_back(fmt::format("{},{}", p, csv_text(info_->processes[p].name)));
    for (std::size_t m = machines_.size(); m < info_->machines.size(); ++m)
      machines_.push_back(csv_text(info_->machines[m].name));
    for (std::size_t c = channels_.size(); c < info_->channels.size(); ++c)
      channels_.push_back(fmt::format("{},{}", c, csv_text(channel_label(*info_, {static_cast<std::uint32_t>(c)}))));
    for (const Event& event : batch) print(event);
  }

  Result<void> finish(const TraceInfo& /*info*/, const Ledger& ledger) override {
    for (const Loss& loss : ledger.losses)
      output_.print("LOSS,,,,,,,,,,,,,,{},,,,{}\r\n", loss.events, csv_text(loss.reason));
    for (const std::string& warning : ledger.warnings)
      output_.print("WARNING,,,,,,,,,,,,,,,,,,{}\r\n", csv_text(warning));
    return output_.close();
  }

 private:
  void print(const Event& event) {
    output_.print_often(FMT_COMPILE("{},{},{},{},{},{},"), name_of(event.type),
                        cell(processes_, event.process.value, ","), cell(machines_, event.machine.value, ""),
                        event.local_time.ns, time_.ns(event), event.proc_time_ns);
    if (event.has_ready_time()) output_.print_often(FMT_COMPILE("{}"), event.ready_time_ns);
    output_.write(",");
    if (event.has_disk_time()) output_.print_often(FMT_COMPILE("{}"), event.disk_time_ns);
    const bool is_message = (event.type == EventType::send || event.type == EventType::receive) &&
                            (event.flags & event_flags::kNoMessage) == 0;
    output_.print_often(FMT_COMPILE(",{},{},{},{},{},{},{},\r\n"), cell(processes_, event.peer.value, ","),
                        cell(channels_, event.channel.value, ","), event.sequence, event.length_bytes, event.code,
                        is_message ? 1 : 0, event.evidence == Evidence::inferred ? 1 : 0);
  }

  static std::string_view cell(const std::vector<std::string>& cells, std::size_t index, std::string_view none) {
    return index < cells.size() ? std::string_view(cells[index]) : none;
  }

  TextOutput output_;
  const TimeAxis& time_;
  const TraceInfo* info_ = nullptr;
  std::vector<std::string> processes_, machines_, channels_;  // as they are printed
};

}  // namespace

ExportFormat make_csv_export_format() {
  return {"csv", "a line for each event, for spreadsheets, R and pandas", true, true,
          [](const std::string& path, const TimeAxis& time,
             const ExportOptions& /*options*/) -> Result<std::unique_ptr<Exporter>> {
            auto output = TextOutput::create(path);
            if (!output) return output.error();
            return std::unique_ptr<Exporter>(std::make_unique<CsvExporter>(*std::move(output), time));
          }};
}

}  // namespace dpm
