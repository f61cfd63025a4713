#include "formats/otlp/otlp_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>

#include "formats/import/whole_file.hpp"
#include "formats/otlp/otlp_spans.hpp"
#include "model/counted.hpp"

namespace dpm {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 30;

constexpr std::uint32_t kNoSpan = UINT32_MAX;

// The processes of the spans, and the channels between them.
class OtlpPlaces {
 public:
  OtlpPlaces(TraceInfo& info, const std::vector<OtlpResource>& resources)
      : info_(info), resources_(resources), process_of_(resources.size()) {}

  // The resources of one service and instance are one process.
  ProcessId process_of(const OtlpSpan& span) {
    ProcessId& process = process_of_[span.resource];
    if (!process.is_none()) return process;
    const OtlpResource& resource = resources_[span.resource];
    const std::string service = resource.service.empty() ? "unknown service" : resource.service;
    const auto [found, is_new] = processes_.try_emplace({service, resource.instance}, next_process());
    if (is_new) add(service, resource.host, true);
    return process = found->second;
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
  const std::vector<OtlpResource>& resources_;
  std::vector<ProcessId> process_of_;                                   // by resource, once it was asked for
  std::map<std::pair<std::string, std::string>, ProcessId> processes_;  // by service and instance
  std::map<std::pair<ProcessId, ProcessId>, ChannelId> channels_;
  std::map<std::string, MachineId> machines_;
  std::map<std::string, std::uint32_t> named_;
  ProcessId outside_;
};

class OtlpSource : public EventSource {
 public:
  // `parents`: the place of each span's parent, or kNoSpan.
  OtlpSource(OtlpSpans read, std::vector<std::uint32_t> parents)
      : read_(std::move(read)), parents_(std::move(parents)) {
    info_.source = "otlp";
  }

  Result<void> run(EventSink& sink) override {
    translate();
    sink.on_begin(info_);
    for (std::vector<Event>& events : events_) {
      // Events of a process are in the order of its clock; a SEND stands before the RECEIVECALL of the same instant.
      const auto by_time = [](const Event& a, const Event& b) { return a.local_time < b.local_time; };
      if (!std::is_sorted(events.begin(), events.end(), by_time))
        std::stable_sort(events.begin(), events.end(), by_time);
      constexpr std::size_t kBatch = 4096;
      for (std::size_t at = 0; at < events.size(); at += kBatch)
        sink.on_events(std::span(events).subspan(at, std::min(kBatch, events.size() - at)));
      seen_ += events.size();
      events = {};
    }
    sink.on_end(report());
    return {};
  }

 private:
  void translate() {
    const std::vector<OtlpSpan>& spans = read_.spans;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const bool has_parent = parents_[i] != kNoSpan;
      if (!spans[i].parent.is_none() && !has_parent) ++without_parent_;
      const ProcessId process = places_.process_of(spans[i]);
      if (has_parent) {
        const OtlpSpan& parent = spans[parents_[i]];
        const ProcessId asker = places_.process_of(parent);
        if (asker != process) call(parent, asker, spans[i], process);
      } else if (spans[i].kind == SpanKind::server) {
        call(spans[i], places_.outside(), spans[i], process);
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
    if (process.value >= events_.size()) events_.resize(process.value + std::size_t{1});
    events_[process.value].push_back(event);
    return events_[process.value].back();
  }

  void message(ProcessId from, std::int64_t sent_ns, ProcessId to, std::int64_t received_ns, std::uint32_t bytes) {
    const ChannelId channel = places_.channel(from, to);
    if (channel.value >= sent_.size()) sent_.resize(channel.value + std::size_t{1});
    const std::uint64_t number = sent_[channel.value]++;
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
    report.seen = seen_;
    if (without_parent_ > 0)
      report.warnings.push_back(
          fmt::format("{} parents that are not in the file: requests are taken to come from outside",
                      without_parent_ == 1 ? "1 span has" : counted(without_parent_, "span") + " have"));
    report.warnings.push_back("spans have no CPU times, and when messages arrived is inferred from when spans begin");
    return report;
  }

  OtlpSpans read_;
  std::vector<std::uint32_t> parents_;
  TraceInfo info_;
  OtlpPlaces places_{info_, read_.resources};
  std::vector<std::vector<Event>> events_;  // by process
  std::vector<std::uint64_t> sent_;         // by channel
  std::uint64_t without_parent_ = 0, seen_ = 0;
};

// Spans by their ids. Open addressing: it has an entry for each span of the file, and all are looked up once.
class SpanTable {
 public:
  explicit SpanTable(const std::vector<OtlpSpan>& spans)
      : spans_(spans),
        bits_(static_cast<int>(std::bit_width(2 * spans.size() + 1))),
        places_(std::size_t{1} << bits_, kNoSpan) {}

  // False where another span has the id.
  bool add(std::uint32_t span) {
    std::uint32_t& place = places_[place_of(spans_[span].id)];
    if (place != kNoSpan) return false;
    place = span;
    return true;
  }
  // Or kNoSpan.
  std::uint32_t find(const OtlpSpanId& id) const { return places_[place_of(id)]; }

 private:
  // Where the id is, or would be.
  std::size_t place_of(const OtlpSpanId& id) const {
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;
    std::size_t place = (((id.span * kSpread) ^ id.trace) * kSpread) >> (64 - bits_);
    while (places_[place] != kNoSpan && spans_[places_[place]].id != id) place = (place + 1) & (places_.size() - 1);
    return place;
  }

  const std::vector<OtlpSpan>& spans_;
  int bits_;
  std::vector<std::uint32_t> places_;
};

// The place of each span's parent. Refuses spans that are their own ancestors.
Result<std::vector<std::uint32_t>> find_parents(const OtlpSpans& read) {
  const std::vector<OtlpSpan>& spans = read.spans;
  if (spans.size() >= kNoSpan) return Error{"it has more than 4 billion spans"};
  SpanTable by_id(spans);
  for (std::uint32_t i = 0; i < spans.size(); ++i)
    if (!by_id.add(i)) return Error{fmt::format("two spans have the id {}", read.ids.text(spans[i].id))};
  std::vector<std::uint32_t> parents(spans.size(), kNoSpan);
  for (std::uint32_t i = 0; i < spans.size(); ++i)
    if (!spans[i].parent.is_none()) parents[i] = by_id.find(spans[i].parent);
  std::vector<std::uint32_t> walk(spans.size(), 0);  // the walk that reached it first, from 1
  for (std::uint32_t i = 0; i < spans.size(); ++i)
    for (std::uint32_t at = i; at != kNoSpan && walk[at] == 0;) {
      walk[at] = i + 1;
      at = parents[at];
      if (at != kNoSpan && walk[at] == i + 1)
        return Error{
            fmt::format("the span '{}' ({}) is its own ancestor", spans[at].name, read.ids.text(spans[at].id))};
    }
  return parents;
}

// Each process may need a machine of its own.
Result<void> check_processes(const OtlpSpans& read) {
  constexpr std::size_t kProcessesMax = 60'000;  // machines have 16 bits
  if (read.resources.size() <= kProcessesMax) return {};
  return Error{fmt::format("it has spans of {} processes, {} is the most", read.resources.size(), kProcessesMax)};
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// The rest of the lines, each a document; the first is line `number`.
Result<void> read_lines(const std::string& path, std::string_view rest, std::uint64_t number, OtlpReader& reader) {
  for (; !rest.empty(); ++number) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (is_blank(line)) continue;
    if (const auto done = reader.read(line); !done)
      return Error{fmt::format("{}:{}: {}", path, number, done.error().what)};
  }
  return {};
}

// One document, or one on each line. Which of both the first line tells, because a document in several lines is not one in each.
Result<OtlpSpans> read_spans(const std::string& path) {
  const auto text = read_whole_file(path, kFileBytesMax);
  if (!text) return text.error();
  std::string_view rest = *text;
  std::uint64_t blank_lines = 0;
  for (; !rest.empty() && is_blank(rest.substr(0, rest.find('\n'))); ++blank_lines)
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  const std::string_view first_line = rest.substr(0, rest.find('\n'));
  OtlpReader reader;
  if (reader.read(first_line)) {
    rest.remove_prefix(std::min(first_line.size() + 1, rest.size()));
    if (const auto done = read_lines(path, rest, blank_lines + 2, reader); !done) return done.error();
    return reader.take();
  }
  OtlpReader whole;
  if (const auto done = whole.read(*text); !done) return Error{fmt::format("{}: {}", path, done.error().what)};
  return whole.take();
}

Result<std::unique_ptr<EventSource>> open(const std::string& path, const ImportOptions& /*options*/) {
  auto read = read_spans(path);
  if (!read) return read.error();
  if (read->spans.empty()) return Error{path + ": it has no OpenTelemetry spans"};
  auto parents = find_parents(*read);
  const auto checked = parents ? check_processes(*read) : Result<void>(parents.error());
  if (!checked) return Error{fmt::format("{}: {}", path, checked.error().what)};
  return std::unique_ptr<EventSource>(std::make_unique<OtlpSource>(*std::move(read), *std::move(parents)));
}

}  // namespace

ImportFormat otlp_import_format() {
  return {"otlp",
          "OpenTelemetry spans as JSON, as a collector writes them to a file",
          {"procTime", "readyTime", "diskTime"},
          open};
}

}  // namespace dpm
