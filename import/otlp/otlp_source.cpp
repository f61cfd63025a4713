#include "import/otlp/otlp_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "import/otlp/otlp_spans.hpp"
#include "import/whole_file.hpp"
#include "model/counted.hpp"

namespace dpm {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 30;

// The processes of the spans, and the channels between them.
class OtlpPlaces {
 public:
  explicit OtlpPlaces(TraceInfo& info) : info_(info) {}

  ProcessId process_of(const OtlpSpan& span) {
    const std::string service = span.service.empty() ? "unknown service" : span.service;
    const auto [found, is_new] = processes_.try_emplace({service, span.instance}, next_process());
    if (is_new) add(service, span.host, true);
    return found->second;
  }

  ProcessId outside() {
    if (outside_.is_none()) {
      outside_ = next_process();
      add("outside", "", false);
    }
    return outside_;
  }

  ChannelId channel(ProcessId from, ProcessId to) {
    const auto [found, is_new] =
        channels_.try_emplace({from, to}, ChannelId{static_cast<std::uint32_t>(info_.channels.size())});
    if (is_new) info_.channels.push_back({to, info_[from].name + " > " + info_[to].name});
    return found->second;
  }

 private:
  ProcessId next_process() const { return {static_cast<std::uint32_t>(info_.processes.size())}; }

  void add(const std::string& service, const std::string& host, bool in_computation) {
    const std::uint32_t number = ++named_[service];
    ProcessInfo process;
    process.name = number == 1 ? service : fmt::format("{}#{}", service, number);
    process.program = service;
    process.machine = machine(host.empty() ? "machine of " + process.name : host);
    process.in_computation = in_computation;
    info_.processes.push_back(std::move(process));
  }

  MachineId machine(const std::string& name) {
    const auto [found, is_new] =
        machines_.try_emplace(name, MachineId{static_cast<std::uint16_t>(info_.machines.size())});
    if (is_new) info_.machines.push_back({name});
    return found->second;
  }

  TraceInfo& info_;
  std::map<std::pair<std::string, std::string>, ProcessId> processes_;  // by service and instance
  std::map<std::pair<ProcessId, ProcessId>, ChannelId> channels_;
  std::map<std::string, MachineId> machines_;
  std::map<std::string, std::uint32_t> named_;
  ProcessId outside_;
};

class OtlpSource : public EventSource {
 public:
  explicit OtlpSource(std::vector<OtlpSpan> spans) : spans_(std::move(spans)) { info_.source = "otlp"; }

  Result<void> run(EventSink& sink) override {
    translate();
    // Events of a process are in the order of its clock; a SEND stands before the RECEIVECALL of the same instant.
    std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return std::tuple(a.process, a.local_time) < std::tuple(b.process, b.local_time);
    });
    sink.on_begin(info_);
    constexpr std::size_t kBatch = 4096;
    for (std::size_t at = 0; at < events_.size(); at += kBatch)
      sink.on_events(std::span(events_).subspan(at, std::min(kBatch, events_.size() - at)));
    sink.on_end(report());
    return {};
  }

 private:
  void translate() {
    std::unordered_map<std::string, const OtlpSpan*> by_id;
    for (const OtlpSpan& span : spans_) by_id.emplace(span.id, &span);
    for (const OtlpSpan& span : spans_) {
      const auto parent = by_id.find(span.parent);
      const bool has_parent = parent != by_id.end();
      if (!span.parent.empty() && !has_parent) ++without_parent_;
      const ProcessId process = places_.process_of(span);
      if (has_parent) {
        const ProcessId asker = places_.process_of(*parent->second);
        if (asker != process) call(*parent->second, asker, span, process);
      } else if (span.kind == SpanKind::server) {
        call(span, places_.outside(), span, process);
      }
    }
  }

  // `asked` is a span of the process that asks; if it is not itself the call, the call is taken to be as long as its answer.
  void call(const OtlpSpan& asked, ProcessId from, const OtlpSpan& answered, ProcessId to) {
    const bool is_call = asked.kind == SpanKind::client || asked.kind == SpanKind::producer;
    const bool is_answered = answered.kind != SpanKind::consumer && asked.kind != SpanKind::producer;
    const std::int64_t sent_ns = is_call ? asked.begin_ns : answered.begin_ns;
    const std::uint32_t request_bytes = std::max(asked.request_bytes, answered.request_bytes);
    message(from, sent_ns, to, answered.begin_ns, request_bytes);
    if (!is_answered) return;
    add(EventType::receive_call, from, sent_ns);
    const std::int64_t received_ns = is_call ? asked.end_ns : answered.end_ns;
    message(to, answered.end_ns, from, received_ns, std::max(asked.response_bytes, answered.response_bytes));
  }

  Event& add(EventType type, ProcessId process, std::int64_t time_ns) {
    Event event;
    event.type = type;
    event.process = process;
    event.machine = info_[process].machine;
    event.local_time.ns = time_ns;
    events_.push_back(event);
    return events_.back();
  }

  void message(ProcessId from, std::int64_t sent_ns, ProcessId to, std::int64_t received_ns, std::uint32_t bytes) {
    const ChannelId channel = places_.channel(from, to);
    const std::uint64_t number = sent_[channel]++;
    for (const EventType type : {EventType::send, EventType::receive}) {
      const bool sends = type == EventType::send;
      Event& event = add(type, sends ? from : to, sends ? sent_ns : received_ns);
      event.peer = sends ? to : from;
      event.channel = channel;
      event.sequence = number;
      event.length_bytes = bytes;
      event.evidence = sends ? Evidence::observed : Evidence::inferred;
    }
  }

  LossReport report() const {
    LossReport report;
    report.seen = events_.size();
    if (without_parent_ > 0)
      report.warnings.push_back(
          fmt::format("{} parents that are not in the file: requests are taken to come from outside",
                      without_parent_ == 1 ? "1 span has" : counted(without_parent_, "span") + " have"));
    report.warnings.push_back("spans have no CPU times, and when messages arrived is inferred from when spans begin");
    return report;
  }

  std::vector<OtlpSpan> spans_;
  TraceInfo info_;
  OtlpPlaces places_{info_};
  std::vector<Event> events_;
  std::map<ChannelId, std::uint64_t> sent_;
  std::uint64_t without_parent_ = 0;
};

// Refuses spans that are their own ancestors.
Result<void> check_ancestors(const std::vector<OtlpSpan>& spans) {
  std::unordered_map<std::string, std::size_t> by_id;
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (!by_id.emplace(spans[i].id, i).second) return Error{fmt::format("two spans have the id {}", spans[i].id)};
  std::vector<std::size_t> walk(spans.size(), 0);  // the walk that reached it first, from 1
  for (std::size_t i = 0; i < spans.size(); ++i)
    for (std::size_t at = i; walk[at] == 0;) {
      walk[at] = i + 1;
      const auto parent = by_id.find(spans[at].parent);
      if (parent == by_id.end()) break;
      at = parent->second;
      if (walk[at] == i + 1)
        return Error{fmt::format("the span '{}' ({}) is its own ancestor", spans[at].name, spans[at].id)};
    }
  return {};
}

// Each process may need a machine of its own.
Result<void> check_processes(const std::vector<OtlpSpan>& spans) {
  constexpr std::size_t kProcessesMax = 60'000;  // machines have 16 bits
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> processes;
  for (const OtlpSpan& span : spans) processes.emplace(span.service, span.instance, span.host);
  if (processes.size() <= kProcessesMax) return {};
  return Error{fmt::format("it has spans of {} processes, {} is the most", processes.size(), kProcessesMax)};
}

// One document, or one on each line.
Result<std::vector<OtlpSpan>> read_spans(const std::string& path) {
  const auto text = read_whole_file(path, kFileBytesMax);
  if (!text) return text.error();
  std::vector<OtlpSpan> spans;
  const auto whole = read_otlp_document(*text, spans);
  if (whole) return spans;
  spans.clear();
  std::uint64_t number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto done = read_otlp_document(line, spans);
    // Of a file that is one document, its own error says more.
    if (!done && number == 1) return Error{fmt::format("{}: {}", path, whole.error().what)};
    if (!done) return Error{fmt::format("{}:{}: {}", path, number, done.error().what)};
  }
  return spans;
}

Result<std::unique_ptr<EventSource>> open(const std::string& path, const ImportOptions& /*options*/) {
  auto spans = read_spans(path);
  if (!spans) return spans.error();
  if (spans->empty()) return Error{path + ": it has no OpenTelemetry spans"};
  for (const auto check : {check_ancestors, check_processes})
    if (auto done = check(*spans); !done) return Error{fmt::format("{}: {}", path, done.error().what)};
  return std::unique_ptr<EventSource>(std::make_unique<OtlpSource>(*std::move(spans)));
}

}  // namespace

ImportFormat otlp_format() {
  return {"otlp",
          "OpenTelemetry spans as JSON, as a collector writes them to a file",
          {"procTime", "readyTime", "diskTime"},
          open};
}

}  // namespace dpm
