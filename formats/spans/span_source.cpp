#include "formats/spans/span_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "model/counted.hpp"

namespace dpm {
namespace {

constexpr std::uint32_t kNoSpan = UINT32_MAX;

bool asks(SpanKind kind) { return kind == SpanKind::client || kind == SpanKind::producer; }
bool is_asked(SpanKind kind) { return kind == SpanKind::server || kind == SpanKind::consumer; }

// The processes of the spans, and the channels between them.
class SpanPlaces {
 public:
  SpanPlaces(TraceInfo& info, const SpanSet& read) : info_(info), read_(read), process_of_(read.resources.size()) {}

  // The resources of one service and instance are one process.
  ProcessId process_of(const Span& span) {
    ProcessId& process = process_of_[span.resource];
    if (!process.is_none()) return process;
    const SpanResource& resource = read_.resources[span.resource];
    const std::string service = resource.service.empty() ? "unknown service" : resource.service;
    const auto [found, is_new] = processes_.try_emplace({service, resource.instance, resource.host}, next_process());
    if (is_new) add(service, resource.host, true);
    return process = found->second;
  }

  // What is not in the file: "outside", or "outside NAME".
  ProcessId outside(std::uint32_t peer) {
    const auto [found, is_new] = outside_.try_emplace(peer, next_process());
    if (is_new) add(peer == Span::kNone ? "outside" : "outside " + read_.peers[peer], "", false);
    return found->second;
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
  const SpanSet& read_;
  std::vector<ProcessId> process_of_;  // by resource, once it was asked for
  std::map<std::tuple<std::string, std::string, std::string>, ProcessId> processes_;
  std::map<std::pair<ProcessId, ProcessId>, ChannelId> channels_;
  std::map<std::string, MachineId> machines_;
  std::map<std::string, std::uint32_t> named_;
  std::map<std::uint32_t, ProcessId> outside_;  // by peer
};

// Spans by their ids. Open addressing: it has an entry for each span of the file, and all are looked up once.
class SpanTable {
 public:
  explicit SpanTable(const std::vector<Span>& spans)
      : spans_(spans),
        bits_(static_cast<int>(std::bit_width(2 * spans.size() + 1))),
        places_(std::size_t{1} << bits_, kNoSpan) {}

  // The span that has this id already, or kNoSpan.
  std::uint32_t add(std::uint32_t span) {
    std::uint32_t& place = places_[place_of(spans_[span].id)];
    if (place != kNoSpan) return place;
    place = span;
    return kNoSpan;
  }
  // Or kNoSpan.
  std::uint32_t find(const SpanId& id) const { return places_[place_of(id)]; }

 private:
  // Where the id is, or would be.
  std::size_t place_of(const SpanId& id) const {
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;
    std::size_t place = (((id.span * kSpread) ^ id.trace) * kSpread) >> (64 - bits_);
    while (places_[place] != kNoSpan && spans_[places_[place]].id != id) place = (place + 1) & (places_.size() - 1);
    return place;
  }

  const std::vector<Span>& spans_;
  int bits_;
  std::vector<std::uint32_t> places_;
};

// The askers: of each span the place of its parent, of each link the place of its span, or kNoSpan.
struct SpanRelations {
  std::vector<std::uint32_t> parents, links;
  std::vector<bool> left_out;  // duplicates
  std::uint64_t duplicates = 0, circles = 0;

  explicit SpanRelations(const SpanSet& read)
      : parents(read.spans.size(), kNoSpan), links(read.links.size(), kNoSpan), left_out(read.spans.size()) {
    const std::vector<Span>& spans = read.spans;
    SpanTable by_id(spans);
    std::map<std::uint32_t, std::vector<std::uint32_t>> sharing;  // spans with one id, by the first of them
    for (std::uint32_t i = 0; i < spans.size(); ++i) {
      const std::uint32_t first = by_id.add(i);
      if (first == kNoSpan) continue;
      std::vector<std::uint32_t>& group = sharing.try_emplace(first, 1, first).first->second;
      if (belongs_to(spans, group, i)) {
        group.push_back(i);
      } else {
        left_out[i] = true;
        ++duplicates;
      }
    }
    // Of those that share an id, what follows was asked by the server: that of the same process, where several served the call.
    const auto asker = [&](std::uint32_t child) {
      const std::uint32_t first = by_id.find(spans[child].parent);
      const auto group = first == kNoSpan ? sharing.end() : sharing.find(first);
      if (group == sharing.end()) return first;
      std::uint32_t server = kNoSpan;
      for (const std::uint32_t each : group->second) {
        if (asks(spans[each].kind)) continue;
        if (spans[each].resource == spans[child].resource) return each;
        if (server == kNoSpan) server = each;
      }
      return server == kNoSpan ? first : server;
    };
    for (std::uint32_t i = 0; i < spans.size(); ++i)
      if (!left_out[i] && !spans[i].parent.is_none()) parents[i] = asker(i);
    for (const auto& [first, group] : sharing) {
      const auto client =
          std::find_if(group.begin(), group.end(), [&](std::uint32_t each) { return asks(spans[each].kind); });
      if (client == group.end()) continue;
      for (const std::uint32_t each : group)
        if (each != *client) parents[each] = *client;
    }
    for (std::size_t n = 0; n < read.links.size(); ++n)
      if (!left_out[read.links[n].span]) links[n] = by_id.find(read.links[n].to);
    cut_circles();
  }

 private:
  // Spans with one id are a call, of one client and the servers that served it. Others, and servers that begin at the same time,
  // are one span that the file has several times.
  static bool belongs_to(const std::vector<Span>& spans, const std::vector<std::uint32_t>& group, std::uint32_t added) {
    constexpr std::size_t kServersMax = 100;
    const Span& span = spans[added];
    const auto any = [&](const auto& is) {
      return std::any_of(group.begin(), group.end(), [&](std::uint32_t each) { return is(spans[each]); });
    };
    if (asks(span.kind))
      return any([](const Span& other) { return is_asked(other.kind); }) &&
             !any([](const Span& other) { return asks(other.kind); });
    return is_asked(span.kind) && group.size() < kServersMax &&
           any([](const Span& other) { return asks(other.kind) || is_asked(other.kind); }) &&
           !any([&](const Span& other) { return is_asked(other.kind) && other.begin_ns == span.begin_ns; });
  }

  // A span cannot be its own ancestor.
  void cut_circles() {
    std::vector<std::uint32_t> walk(parents.size(), 0);  // the walk that reached it first, from 1
    for (std::uint32_t i = 0; i < parents.size(); ++i)
      for (std::uint32_t at = i; at != kNoSpan && walk[at] == 0;) {
        walk[at] = i + 1;
        const std::uint32_t next = parents[at];
        if (next != kNoSpan && walk[next] == i + 1) {
          parents[at] = kNoSpan;
          ++circles;
          break;
        }
        at = next;
      }
  }
};

class SpanSource : public ImportSource {
 public:
  SpanSource(std::string_view format, SpanSet read) : read_(std::move(read)) { info_.source = format; }

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
    LossReport losses;
    losses.seen = seen_;
    losses.warnings = warnings_of(report());
    sink.on_end(losses);
    return {};
  }

  ImportReport report() const override {
    ImportReport report;
    report.read.push_back({"spans", read_.spans.size()});
    for (const ImportRow& row : read_.left_out) report.leave_out(row.what, row.count);
    report.leave_out("spans that are in the file already", duplicates_);
    report.leave_out("answers of spans that had not ended", unanswered_);
    report.leave_out("parents of spans that are their own ancestors", circles_);
    report.leave_out("links to spans that are not in the file", lost_links_);
    if (inside_ > 0) report.read.push_back({"of them inside a process, which are its work", inside_});
    if (open_ > 0) report.read.push_back({"of them that had not ended", open_});
    report.notes = read_.notes;
    const auto note = [&](std::uint64_t count, std::string_view noun, std::string_view one, std::string_view many) {
      if (count > 0)
        report.notes.push_back(fmt::format("{} {}", counted(count, std::string(noun)), count == 1 ? one : many));
    };
    note(without_parent_ - circles_, "span",
         "has a parent that is not in the file: its request is taken to come from outside",
         "have parents that are not in the file: their requests are taken to come from outside");
    note(unasked_, "client span", "asked no span of the file: its request goes to 'outside'",
         "asked no span of the file: their requests go to 'outside'");
    note(unclaimed_, "producer span", "was received by none of the spans in the file: its message goes to 'outside'",
         "were received by none of the spans in the file: their messages go to 'outside'");
    if (!any_sizes_) report.unknown.push_back(ImportUnknown::sizes);
    report.unknown.push_back(ImportUnknown::arrivals);
    report.unknown.push_back(ImportUnknown::cpu_times);
    report.unknown.push_back(ImportUnknown::cpu_waits);
    report.no_messages = fmt::format("{} of {}, and none was asked by a span of another process",
                                     counted(read_.spans.size(), "span"), counted(info_.processes.size(), "process"));
    return report;
  }

 private:
  void translate() {
    const std::vector<Span>& spans = read_.spans;
    const SpanRelations relations(read_);
    duplicates_ = relations.duplicates;
    circles_ = relations.circles;
    // Processes in the order of their first spans.
    for (std::uint32_t i = 0; i < spans.size(); ++i)
      if (!relations.left_out[i]) places_.process_of(spans[i]);
    std::vector<bool> has_asked(spans.size()), is_linked(spans.size());
    for (std::uint32_t i = 0; i < spans.size(); ++i) {
      const std::uint32_t parent = relations.parents[i];
      if (parent == kNoSpan || relations.left_out[i]) continue;
      if (asks(spans[i].kind) || places_.process_of(spans[parent]) != places_.process_of(spans[i]))
        has_asked[parent] = true;
    }
    std::size_t next_link = 0;
    for (std::size_t n = 0; n < relations.links.size(); ++n) {
      if (relations.links[n] == kNoSpan) continue;
      has_asked[relations.links[n]] = true;
      is_linked[read_.links[n].span] = true;
    }
    for (std::uint32_t i = 0; i < spans.size(); ++i) {
      const Span& span = spans[i];
      const ProcessId process = places_.process_of(span);
      const std::uint32_t parent = relations.parents[i];
      for (; next_link < read_.links.size() && read_.links[next_link].span == i; ++next_link)
        follow(relations.links[next_link], parent, span, process);
      if (relations.left_out[i]) continue;
      const bool is_lost = parent == kNoSpan && !span.parent.is_none();
      if (is_lost) ++without_parent_;
      if (!span.has_ended) ++open_;
      any_sizes_ |= span.request_bytes > 0 || span.response_bytes > 0;
      if (parent != kNoSpan && places_.process_of(spans[parent]) != process)
        call(spans[parent], places_.process_of(spans[parent]), span, process);
      else if (parent == kNoSpan &&
               (span.kind == SpanKind::server || (span.kind == SpanKind::consumer && !is_linked[i])))
        call(span, places_.outside(Span::kNone), span, process);
      else if (!asks(span.kind) && !is_linked[i])
        ++inside_;
      if (asks(span.kind) && !has_asked[i]) {
        ++(span.kind == SpanKind::client ? unasked_ : unclaimed_);
        call(span, process, span, places_.outside(span.peer));
      }
    }
  }

  // A link is a message, unless it leads to the parent, or stays in the process.
  void follow(std::uint32_t linked, std::uint32_t parent, const Span& span, ProcessId process) {
    if (linked == kNoSpan) {
      ++lost_links_;
      return;
    }
    const Span& from = read_.spans[linked];
    const ProcessId sender = places_.process_of(from);
    if (linked == parent || sender == process) return;
    const std::int64_t sent_ns = asks(from.kind) ? from.begin_ns : std::min(from.end_ns, span.begin_ns);
    message(sender, sent_ns, process, span.begin_ns, std::max(from.request_bytes, span.request_bytes));
  }

  // `asked` is a span of the process that asks; if it is not itself the call, the call is taken to be as long as its answer. Of a request
  // from or to outside both are the one span that there is.
  void call(const Span& asked, ProcessId from, const Span& answered, ProcessId to) {
    const bool is_call = asks(asked.kind);
    const bool is_answered = answered.kind != SpanKind::consumer && asked.kind != SpanKind::producer;
    const std::int64_t sent_ns = is_call ? asked.begin_ns : answered.begin_ns;
    message(from, sent_ns, to, answered.begin_ns, std::max(asked.request_bytes, answered.request_bytes));
    if (!is_answered) return;
    add(EventType::receive_call, from, sent_ns);
    if (!answered.has_ended || (is_call && !asked.has_ended)) {
      ++unanswered_;
      return;
    }
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

  SpanSet read_;
  TraceInfo info_;
  SpanPlaces places_{info_, read_};
  std::vector<std::vector<Event>> events_;  // by process
  std::vector<std::uint64_t> sent_;         // by channel
  std::uint64_t seen_ = 0, duplicates_ = 0, circles_ = 0, lost_links_ = 0, without_parent_ = 0, unanswered_ = 0,
                inside_ = 0, open_ = 0, unasked_ = 0, unclaimed_ = 0;
  bool any_sizes_ = false;
};

}  // namespace

Result<std::unique_ptr<ImportSource>> make_span_source(std::string_view format, const std::string& path,
                                                       SpanSet spans) {
  constexpr std::size_t kProcessesMax = 60'000;  // each may need a machine of its own, and machines have 16 bits
  if (spans.spans.empty()) {
    std::string left_out;
    for (const ImportRow& row : spans.left_out)
      left_out += fmt::format("{}{} {}", left_out.empty() ? ", but " : ", ", row.count, row.what);
    return Error{fmt::format("{}: it has no spans{}", path, left_out)};
  }
  if (spans.spans.size() >= kNoSpan) return Error{path + ": it has more than 4 billion spans"};
  if (spans.resources.size() + spans.peers.size() > kProcessesMax)
    return Error{fmt::format("{}: it has spans of {} processes, {} is the most", path,
                             spans.resources.size() + spans.peers.size(), kProcessesMax)};
  return std::unique_ptr<ImportSource>(std::make_unique<SpanSource>(format, std::move(spans)));
}

}  // namespace dpm
