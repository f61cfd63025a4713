#include "formats/export/prometheus.hpp"

#include <map>

#include "analysis/statistics/statistics.hpp"
#include "analysis/statistics/threads.hpp"
#include "formats/export/names.hpp"
#include "formats/export/text_output.hpp"

namespace dpm {
namespace {

// The value of a label, in quotes: the same escapes as in JSON, as clean text has no line ends.
std::string label_text(std::string_view text) { return json_text(text); }

class PrometheusExporter : public Exporter {
 public:
  PrometheusExporter(TextOutput output, const ExportOptions& options) : output_(std::move(output)), options_(options) {}

  void on_begin(const TraceInfo& info) override { statistics_.on_begin(info); }
  void on_events(std::span<const Event> batch) override { statistics_.on_events(batch); }
  void on_end(const LossReport& losses) override { statistics_.on_end(losses); }

  Result<void> finish(const TraceInfo& info, const Ledger& ledger) override {
    const Statistics statistics = options_.threads ? statistics_.result() : sum_threads(statistics_.result(), info);
    labels_ = process_labels(info);
    print_processes(statistics);
    print_messages(statistics);
    print_ledger(ledger);
    return output_.close();
  }

 private:
  void heading(std::string_view name, std::string_view help) {
    output_.print("# HELP {} {}\n# TYPE {} counter\n", name, help, name);
  }

  std::string label(ProcessId process) const {
    return process.value < labels_.size() ? label_text(labels_[process.value]) : "\"unknown\"";
  }

  void print_processes(const Statistics& statistics) {
    heading("dpm_process_cpu_seconds_total", "CPU time of each process.");
    for (const auto& process : statistics.processes)
      output_.print("dpm_process_cpu_seconds_total{{process={}}} {:.9f}\n", label(process.process),
                    static_cast<double>(process.cpu_ns) * 1e-9);
    heading("dpm_process_events_total", "Events of each process, by type.");
    for (const auto& process : statistics.processes)
      for (const EventType type : kEventTypes)
        if (const auto count = process.events_by_type[static_cast<std::size_t>(type)]; count > 0)
          output_.print("dpm_process_events_total{{process={},type=\"{}\"}} {}\n", label(process.process),
                        name_of(type), count);
  }

  void print_messages(const Statistics& statistics) {
    heading("dpm_messages_total", "Messages from one process to another.");
    for (const Traffic& traffic : statistics.messages)
      output_.print("dpm_messages_total{{from={},to={}}} {}\n", label(traffic.from), label(traffic.to),
                    traffic.messages());
    heading("dpm_message_bytes_total", "Bytes in messages from one process to another.");
    for (const Traffic& traffic : statistics.messages)
      output_.print("dpm_message_bytes_total{{from={},to={}}} {}\n", label(traffic.from), label(traffic.to),
                    traffic.bytes());
  }

  void print_ledger(const Ledger& ledger) {
    heading("dpm_lost_events_total", "Events that the trace has lost, by reason.");
    std::map<std::string, std::uint64_t> losses;  // two reasons may read the same once they are clean
    for (const Loss& loss : ledger.losses) losses[label_text(loss.reason)] += loss.events;
    for (const auto& [reason, events] : losses)
      output_.print("dpm_lost_events_total{{reason={}}} {}\n", reason, events);
    heading("dpm_trace_warnings_total", "Warnings about the trace; the text is the label.");
    std::map<std::string, std::uint64_t> warnings;
    for (const std::string& warning : ledger.warnings) ++warnings[label_text(warning)];
    for (const auto& [warning, times] : warnings)
      output_.print("dpm_trace_warnings_total{{warning={}}} {}\n", warning, times);
  }

  TextOutput output_;
  ExportOptions options_;
  StatisticsAnalysis statistics_;
  std::vector<std::string> labels_;
};

}  // namespace

ExportFormat make_prometheus_export_format() {
  return {"prometheus", "totals for Prometheus's text format", true, false,
          [](const std::string& path, const TimeAxis& /*time*/,
             const ExportOptions& options) -> Result<std::unique_ptr<Exporter>> {
            auto output = TextOutput::create(path);
            if (!output) return output.error();
            return std::unique_ptr<Exporter>(std::make_unique<PrometheusExporter>(*std::move(output), options));
          }};
}

}  // namespace dpm
