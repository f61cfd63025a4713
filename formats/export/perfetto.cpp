#include "formats/export/perfetto.hpp"

#include <algorithm>
#include <vector>

#include "formats/export/message_join.hpp"
#include "formats/export/names.hpp"
#include "formats/export/text_output.hpp"
#include "model/machine_quantity.hpp"

namespace dpm {
namespace {

constexpr std::int64_t kSlice_ns = 1000;

class PerfettoExporter : public Exporter {
 public:
  PerfettoExporter(TextOutput output, const TimeAxis& time) : output_(std::move(output)), time_(time) {}

  void on_begin(const TraceInfo& info) override {
    info_ = &info;
    output_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    output_.write("{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"dpm\"}}");
  }

  void on_events(std::span<const Event> batch) override {
    take_names();
    for (const Event& event : batch) add(event);
  }

  void on_end(const LossReport& /*losses*/) override {
    for (const Open& open : open_)
      if (open.any) print_slice(open.event, open.time_ns, kSlice_ns);
  }

  Result<void> finish(const TraceInfo& info, const Ledger& ledger) override {
    for (std::size_t p = 0; p < info.processes.size(); ++p) print_names(info, p);
    output_.print(
        "\n],\"otherData\":{{\"source\":{},\"scenario\":{},\"events_seen\":{},\"events_kept\":{},\"events_lost\":{}",
        json_text(info.source), json_text(info.scenario), ledger.seen, ledger.kept, ledger.lost);
    output_.write(",\"losses\":[");
    for (std::size_t i = 0; i < ledger.losses.size(); ++i)
      output_.print("{}{{\"reason\":{},\"events\":{}}}", i == 0 ? "" : ",", json_text(ledger.losses[i].reason),
                    ledger.losses[i].events);
    output_.write("],\"warnings\":[");
    for (std::size_t i = 0; i < ledger.warnings.size(); ++i)
      output_.print("{}{}", i == 0 ? "" : ",", json_text(ledger.warnings[i]));
    output_.write("]}}\n");
    return output_.close();
  }

 private:
  // The last event of a process: how long it may be drawn depends on the next.
  struct Open {
    Event event;
    std::int64_t time_ns = 0;
    bool any = false;
  };

  void take_names() {
    for (std::size_t p = processes_.size(); p < info_->processes.size(); ++p) {
      processes_.push_back(json_text(info_->processes[p].name));
      places_.push_back(fmt::format("\"pid\":{},\"tid\":{}", pid(*info_, p), p + 1));
    }
    for (std::size_t c = channels_.size(); c < info_->channels.size(); ++c)
      channels_.push_back(json_text(channel_label(*info_, {static_cast<std::uint32_t>(c)})));
    open_.resize(processes_.size());
  }

  // Threads are shown with their process. 0 means the idle process there, so all numbers are one higher.
  static std::size_t pid(const TraceInfo& info, std::size_t process) {
    const ProcessId group = info.processes[process].group;
    return (group.is_none() ? process : group.value) + std::size_t{1};
  }

  void add(const Event& event) {
    if (event.process.value >= processes_.size()) return;
    const std::int64_t time_ns = std::max<std::int64_t>(time_.ns(event), 0);
    if (const auto message = messages_.add(event, 0, time_ns)) print_arrow(*message, event.length_bytes);
    if (event.type == EventType::message_queued) return print_instant(event, time_ns);
    if (event.type == EventType::summary) return print_counter(event, time_ns);
    Open& open = open_[event.process.value];
    if (open.any) {
      const std::int64_t until_next_ns = std::max<std::int64_t>(time_ns - open.time_ns, 0);
      const bool waits = open.event.type == EventType::receive_call;
      print_slice(open.event, open.time_ns, waits ? until_next_ns : std::min(until_next_ns, kSlice_ns));
    }
    // A clock that was set back must not let slices overlap.
    open.time_ns = open.any ? std::max(open.time_ns, time_ns) : time_ns;
    open.event = event;
    open.any = true;
  }

  // Times are at least 0. The format has microseconds; nanoseconds are its decimals.
  void print_slice(const Event& event, std::int64_t time_ns, std::int64_t length_ns) {
    output_.print_often(
        FMT_COMPILE(",\n{{\"ph\":\"X\",\"cat\":\"event\",\"name\":\"{}\",{},\"ts\":{}.{:03},\"dur\":{}.{:03}"),
        name_of(event.type), places_[event.process.value], time_ns / 1000, time_ns % 1000, length_ns / 1000,
        length_ns % 1000);
    print_arguments(event);
  }

  void print_instant(const Event& event, std::int64_t time_ns) {
    output_.print_often(
        FMT_COMPILE(",\n{{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"event\",\"name\":\"{}\",{},\"ts\":{}.{:03}"),
        name_of(event.type), places_[event.process.value], time_ns / 1000, time_ns % 1000);
    print_arguments(event);
  }

  void print_counter(const Event& event, std::int64_t time_ns) {
    output_.print_often(FMT_COMPILE(",\n{{\"ph\":\"C\",\"name\":\"{}\",{},\"ts\":{}.{:03},\"args\":{{\"value\":{}}}}}"),
                        name_of(static_cast<MachineQuantity>(event.code)), places_[event.process.value], time_ns / 1000,
                        time_ns % 1000, event.sequence);
  }

  void print_arguments(const Event& event) {
    output_.print_often(FMT_COMPILE(",\"args\":{{\"cpu_ns\":{}"), event.proc_time_ns);
    if (event.peer.value < processes_.size())
      output_.print_often(FMT_COMPILE(",\"peer\":{}"), processes_[event.peer.value]);
    if (event.channel.value < channels_.size())
      output_.print_often(FMT_COMPILE(",\"channel\":{},\"sequence\":{},\"bytes\":{}"), channels_[event.channel.value],
                          event.sequence, event.length_bytes);
    if (event.evidence == Evidence::inferred) output_.write(",\"inferred\":true");
    output_.write("}}");
  }

  // Several slices may begin where the arrow does, so it says its size itself.
  void print_arrow(const JoinedMessage& message, std::uint32_t bytes) {
    ++arrows_;
    print_arrow_end(fmt::format("\"ph\":\"s\",\"args\":{{\"bytes\":{}}}", bytes), message.sent, message.sent.time_ns);
    // An arrow that ends before it begins would not be shown.
    print_arrow_end("\"ph\":\"f\",\"bp\":\"e\"", message.received,
                    std::max(message.sent.time_ns, message.received.time_ns));
  }

  void print_arrow_end(std::string_view kind, const MessageEndSeen& end, std::int64_t time_ns) {
    output_.print_often(FMT_COMPILE(",\n{{{},\"cat\":\"message\",\"name\":\"message\",\"id\":{},{},\"ts\":{}.{:03}}}"),
                        kind, arrows_, places_[end.process], time_ns / 1000, time_ns % 1000);
  }

  void print_names(const TraceInfo& info, std::size_t process) {
    const ProcessInfo& described = info.processes[process];
    const std::string name = json_text(described.name);
    const std::string where = described.machine.is_none() ? "" : " on " + info[described.machine].name;
    if (pid(info, process) == process + 1)
      output_.print(",\n{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":{}}}}}", process + 1,
                    json_text(described.name + where));
    output_.print(",\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}}}",
                  pid(info, process), process + 1, name);
  }

  TextOutput output_;
  const TimeAxis& time_;
  const TraceInfo* info_ = nullptr;
  MessageJoin messages_;
  std::uint64_t arrows_ = 0;
  std::vector<std::string> processes_, places_, channels_;  // as they are printed
  std::vector<Open> open_;                                  // by process
};

}  // namespace

ExportFormat make_perfetto_export_format() {
  return {"perfetto", "JSON for Perfetto and the trace viewer of Catapult, with messages as arrows", true, true,
          [](const std::string& path, const TimeAxis& time,
             const ExportOptions& /*options*/) -> Result<std::unique_ptr<Exporter>> {
            auto output = TextOutput::create(path);
            if (!output) return output.error();
            return std::unique_ptr<Exporter>(std::make_unique<PerfettoExporter>(*std::move(output), time));
          }};
}

}  // namespace dpm
