#include "answers/live/space_time_answers.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "answers/live/inside_marks.hpp"
#include "answers/live/request_window.hpp"
#include "answers/live/rows.hpp"

namespace dpm::cli {
namespace {

using view::Answer;
using view::Json;

constexpr std::uint32_t kNoRow = 0xffffffffu;

struct Rows {
  std::vector<ProcessId> rows;
  std::map<ProcessId, std::uint32_t> index;
  std::size_t left_out = 0;

  std::uint32_t of(ProcessId row) const {
    const auto found = index.find(row);
    return found == index.end() ? kNoRow : found->second;
  }
};

MachineId machine_of(ProcessId process, const LiveRecording& recording) {
  const MachineId seen = recording.levels().machine_of(process);
  return seen.is_none() && process.value < recording.info().processes.size() ? recording.info()[process].machine : seen;
}

// Those that were asked for, or those that did most in the window: by machine, then process.
Result<Rows> choose_rows(const Json& params, const RequestWindow& window, const LiveRecording& recording) {
  Rows rows;
  if (const auto asked = params.find("rows"); asked != params.end()) {
    for (const Json& entry : *asked) {
      const auto process = process_of(entry, recording.info());
      if (!process) return process.error();
      rows.rows.push_back(*process);
    }
  } else {
    const auto most = static_cast<std::size_t>(params.at("rows_max").get<double>());
    const std::vector<RunTime> edges = {window.sum_from(), window.sum_to()};
    std::vector<std::pair<double, ProcessId>> active;
    for (const auto& [row, did] : process_rows(recording, edges, window.threads)) {
      const ProcessAmounts& amounts = did.amounts.front();
      const auto marks = static_cast<double>(amounts.sent + amounts.received);
      const double busy = static_cast<double>(amounts.cpu_ns + amounts.waiting_ns);
      if (marks + busy > 0) active.push_back({-(marks * 1e12 + busy), row});
    }
    std::sort(active.begin(), active.end());
    const auto kept = std::min(active.size(), most);
    rows.left_out = active.size() - kept;
    for (std::size_t i = 0; i < kept; ++i) rows.rows.push_back(active[i].second);
  }
  std::sort(rows.rows.begin(), rows.rows.end(), [&](ProcessId a, ProcessId b) {
    return std::pair{machine_of(a, recording), a} < std::pair{machine_of(b, recording), b};
  });
  rows.rows.erase(std::unique(rows.rows.begin(), rows.rows.end()), rows.rows.end());
  for (std::uint32_t i = 0; i < rows.rows.size(); ++i) rows.index[rows.rows[i]] = i;
  return rows;
}

Json rows_json(const Rows& rows, const LiveRecording& recording) {
  Json list = Json::array();
  for (const ProcessId row : rows.rows) {
    const MachineId machine = machine_of(row, recording);
    list.push_back({{"process", row.value}, {"machine", machine.is_none() ? Json() : Json(machine.value)}});
  }
  return list;
}

double seconds_of(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

struct Segments {
  std::vector<std::uint32_t> row;
  std::vector<std::uint8_t> kind, critical;
  std::vector<double> from, to;

  void add(std::uint32_t in_row, RecordedKind of, std::int64_t from_ns, std::int64_t to_ns, bool is_critical) {
    row.push_back(in_row);
    kind.push_back(static_cast<std::uint8_t>(of));
    critical.push_back(is_critical ? 1 : 0);
    from.push_back(seconds_of(from_ns));
    to.push_back(seconds_of(to_ns));
  }
};

// What is known of processes that have no event in the packets of the window: they may wait all the time.
void add_silent_rows(const Rows& rows, const std::vector<bool>& has_segment, const RequestWindow& window,
                     const LiveRecording& recording, Segments& segments) {
  const std::vector<RunTime> edges = {window.from, window.to};
  for (std::uint32_t row = 0; row < rows.rows.size(); ++row) {
    if (has_segment[row]) continue;
    const ProcessAmounts did = recording.levels().of(rows.rows[row], edges).front();
    const double span_ns = window.span_s() * 1e9;
    if (static_cast<double>(did.waiting_ns) > span_ns / 2)
      segments.add(row, RecordedKind::message_wait, window.from.ns, window.to.ns, false);
    else if (static_cast<double>(did.cpu_ns) > span_ns / 2)
      segments.add(row, RecordedKind::work, window.from.ns, window.to.ns, false);
  }
}

Answer binned(const RequestWindow& window, const Rows& rows, const LiveRecording& recording) {
  const std::size_t row_count = std::max<std::size_t>(rows.rows.size(), 1);
  const std::size_t most = std::clamp<std::size_t>(SpaceTimeAnswers::kMarksMost / row_count, 16, window.width);
  const WindowBins bins = cut(window, recording.levels(), most);
  std::vector<std::uint32_t> bin_row, flow_from, flow_to;
  std::vector<double> bin_from, bin_to, flow_t, flow_messages;
  std::vector<float> work, wait;
  const auto is_row = [&](ProcessId row) { return rows.of(row) != kNoRow; };
  for (const auto& [row, did] : process_rows(recording, bins.edges, window.threads, is_row)) {
    for (std::size_t i = 0; i < bins.left_s.size(); ++i) {
      const ProcessAmounts& amounts = did.amounts[i];
      if (amounts.cpu_ns == 0 && amounts.waiting_ns == 0) continue;
      bin_row.push_back(rows.of(row));
      bin_from.push_back(bins.left_s[i]);
      bin_to.push_back(bins.left_s[i] + bins.step_s);
      work.push_back(static_cast<float>(std::min(1., static_cast<double>(amounts.cpu_ns) * 1e-9 / bins.step_s)));
      wait.push_back(static_cast<float>(std::min(1., static_cast<double>(amounts.waiting_ns) * 1e-9 / bins.step_s)));
    }
  }
  // Fewer columns for arrows: each stands for all messages of a pair in it.
  const WindowBins columns = cut(window, recording.levels(), std::min<std::size_t>(bins.left_s.size(), 64));
  std::uint64_t left_out = 0;
  const auto are_rows = [&](ProcessId from, ProcessId to) { return is_row(from) && is_row(to); };
  for (const auto& [ends, did] : pair_rows(recording, columns.edges, window.threads, are_rows)) {
    for (std::size_t i = 0; i < did.size(); ++i) {
      if (did[i].messages == 0) continue;
      if (flow_t.size() >= SpaceTimeAnswers::kMarksMost) {
        left_out += did[i].messages;
        continue;
      }
      flow_from.push_back(rows.of(ends.first));
      flow_to.push_back(rows.of(ends.second));
      flow_t.push_back(columns.left_s[i] + columns.step_s / 2);
      flow_messages.push_back(static_cast<double>(did[i].messages));
    }
  }
  Answer answer;
  answer.json = {{"exact", false},
                 {"rows", rows_json(rows, recording)},
                 {"rows_left_out", rows.left_out},
                 {"arcs_left_out", left_out}};
  answer.arrays = {
      {"bin_row", std::move(bin_row)}, {"bin_from", std::move(bin_from)}, {"bin_to", std::move(bin_to)},
      {"bin_work", std::move(work)},   {"bin_wait", std::move(wait)},     {"flow_from", std::move(flow_from)},
      {"flow_to", std::move(flow_to)}, {"flow_t", std::move(flow_t)},     {"flow_messages", std::move(flow_messages)}};
  return answer;
}

// The same order whichever way the trace was read.
bool is_earlier(const RecordedArc& a, const RecordedArc& b) {
  const auto key = [](const RecordedArc& arc) {
    return std::tuple(arc.received_ns, arc.sent_ns, arc.from.value, arc.to.value, arc.channel.value, arc.sequence,
                      static_cast<std::uint8_t>(arc.kind));
  };
  return key(a) < key(b);
}

}  // namespace

SpaceTimeAnswers::ArcKey SpaceTimeAnswers::key_of(const RecordedArc& arc) {
  const std::uint64_t number = arc.kind == RecordedArcKind::message ? arc.sequence : arc.to.value;
  return {arc.from.value, arc.channel.value, number, static_cast<std::uint8_t>(arc.kind)};
}

std::uint64_t SpaceTimeAnswers::id_of(const RecordedArc& arc) {
  const ArcKey key = key_of(arc);
  const auto [known, is_new] = numbers_.try_emplace(key, next_number_);
  if (is_new) {
    arcs_[next_number_++] = {key, arc.sent_ns, arc.received_ns};
    if (arcs_.size() > kArcsMost) forget_oldest();
  }
  return known->second;
}

void SpaceTimeAnswers::forget_oldest() {
  numbers_.erase(arcs_.begin()->second.key);
  arcs_.erase(arcs_.begin());
}

Result<Answer> SpaceTimeAnswers::space_time(const Json& params, LiveRecording& recording) {
  const RequestWindow window = window_of(params, recording);
  const auto rows = choose_rows(params, window, recording);
  if (!rows) return rows.error();
  const auto events = recording.events_of(window.from, window.to, kReadMost);
  if (!events || events->inside > kExactMost) return binned(window, *rows, recording);

  const TraceInfo& info = recording.info();
  RecordedTimeline timeline = make_recorded_timeline({events->events, events->times_ns}, info);
  mark_critical_path(timeline, window.to.ns);
  std::sort(timeline.arcs.begin(), timeline.arcs.end(), is_earlier);
  Segments segments;
  std::vector<bool> has_segment(rows->rows.size());
  for (const RecordedSegment& segment : timeline.segments) {
    const std::uint32_t row = rows->of(row_of(segment.process, info, window.threads));
    if (row == kNoRow || segment.to_ns <= window.from.ns || segment.from_ns >= window.to.ns) continue;
    has_segment[row] = true;
    segments.add(row, segment.kind, segment.from_ns, segment.to_ns, segment.is_critical);
  }
  add_silent_rows(*rows, has_segment, window, recording, segments);
  std::vector<std::uint32_t> from, to;
  std::vector<double> sent, received, bytes, number;
  std::vector<std::uint8_t> kind, critical;
  std::uint64_t left_out = 0;
  for (const RecordedArc& arc : timeline.arcs) {
    if (arc.sent_ns >= window.to.ns || arc.received_ns < window.from.ns) continue;
    const std::uint32_t from_row = rows->of(row_of(arc.from, info, window.threads)),
                        to_row = rows->of(row_of(arc.to, info, window.threads));
    if (from_row == kNoRow || to_row == kNoRow) {
      ++left_out;
      continue;
    }
    from.push_back(from_row);
    to.push_back(to_row);
    sent.push_back(seconds_of(arc.sent_ns));
    received.push_back(seconds_of(arc.received_ns));
    bytes.push_back(arc.length_bytes);
    kind.push_back(static_cast<std::uint8_t>(arc.kind));
    critical.push_back(arc.is_critical ? 1 : 0);
    number.push_back(static_cast<double>(id_of(arc)));
  }
  Answer answer;
  answer.json = {{"exact", true},
                 {"rows", rows_json(*rows, recording)},
                 {"rows_left_out", rows->left_out},
                 {"arcs_left_out", left_out}};
  answer.arrays = {{"seg_row", std::move(segments.row)},
                   {"seg_kind", std::move(segments.kind)},
                   {"seg_from", std::move(segments.from)},
                   {"seg_to", std::move(segments.to)},
                   {"seg_critical", std::move(segments.critical)},
                   {"arc_from", std::move(from)},
                   {"arc_to", std::move(to)},
                   {"arc_sent", std::move(sent)},
                   {"arc_received", std::move(received)},
                   {"arc_bytes", std::move(bytes)},
                   {"arc_kind", std::move(kind)},
                   {"arc_critical", std::move(critical)},
                   {"arc_id", std::move(number)}};
  add_inside_marks({events->events, events->times_ns, window.from.ns, window.to.ns,
                    [&](ProcessId process) { return rows->of(row_of(process, info, window.threads)); }},
                   info, answer);
  return answer;
}

namespace {

// The messages that can have influenced another: received by its sender before it was sent, and so on. The latest first.
// What can follow from it is the same with time reversed.
struct Reach {
  std::vector<std::size_t> arcs;
  std::uint64_t left_out = 0;
};

Reach past_of(const std::vector<RecordedArc>& arcs, const RecordedArc& of) {
  std::vector<std::size_t> order(arcs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return arcs[a].received_ns > arcs[b].received_ns; });
  std::map<ProcessId, std::int64_t> until = {{of.from, of.sent_ns}};  // by process: what it did until then counts
  Reach reach;
  for (const std::size_t i : order) {
    const auto found = until.find(arcs[i].to);
    if (found == until.end() || arcs[i].received_ns > found->second || &arcs[i] == &of) continue;
    const auto [known, is_new] = until.try_emplace(arcs[i].from, arcs[i].sent_ns);
    if (!is_new) known->second = std::max(known->second, arcs[i].sent_ns);
    if (reach.arcs.size() < SpaceTimeAnswers::kNeighboursMost) {
      reach.arcs.push_back(i);
    } else {
      ++reach.left_out;
    }
  }
  return reach;
}

Reach future_of(const std::vector<RecordedArc>& arcs, const RecordedArc& of) {
  std::vector<RecordedArc> reversed = arcs;
  for (RecordedArc& arc : reversed) {
    std::swap(arc.from, arc.to);
    std::swap(arc.sent_ns, arc.received_ns);
    arc.sent_ns = -arc.sent_ns, arc.received_ns = -arc.received_ns;
  }
  return past_of(reversed, reversed[static_cast<std::size_t>(&of - arcs.data())]);
}

}  // namespace

Result<Answer> SpaceTimeAnswers::message(const Json& params, LiveRecording& recording) {
  const auto known = arcs_.find(static_cast<std::uint64_t>(params.at("arc").get<double>()));
  if (known == arcs_.end()) return Error{"this message belongs to an outdated picture: draw the window again"};
  const KnownArc arc = known->second;
  const std::int64_t took_ns = std::max<std::int64_t>(arc.received_ns - arc.sent_ns, 1'000'000);
  std::optional<LiveRecording::Window> events;
  // As much around it as may be read.
  for (std::int64_t around_ns = took_ns * 4096; !events && around_ns > 0; around_ns /= 4)
    events = recording.events_of({arc.sent_ns - around_ns}, {arc.received_ns + around_ns}, kReadMost);
  if (!events) events = recording.events_of({arc.sent_ns}, {arc.received_ns + 1}, kReadMost * 8);
  if (!events) return Error{"too many events are recorded around this message to look at it"};
  const RecordedTimeline timeline = make_recorded_timeline({events->events, events->times_ns}, recording.info());
  const auto found = std::find_if(timeline.arcs.begin(), timeline.arcs.end(),
                                  [&](const RecordedArc& other) { return key_of(other) == arc.key; });
  if (found == timeline.arcs.end()) return Error{"the events of this message can no longer be read"};
  const Reach past = past_of(timeline.arcs, *found), future = future_of(timeline.arcs, *found);
  Json past_ids = Json::array(), future_ids = Json::array();
  for (const std::size_t i : past.arcs) past_ids.push_back(id_of(timeline.arcs[i]));
  for (const std::size_t i : future.arcs) future_ids.push_back(id_of(timeline.arcs[i]));
  Answer answer;
  answer.json = {{"from", found->from.value},
                 {"to", found->to.value},
                 {"bytes", found->length_bytes},
                 {"sent_s", seconds_of(found->sent_ns)},
                 {"received_s", seconds_of(found->received_ns)},
                 {"evidence", found->evidence == Evidence::observed ? "both ends were metered"
                                                                    : "its ends were matched by their order"},
                 {"past", std::move(past_ids)},
                 {"future", std::move(future_ids)},
                 {"past_left_out", past.left_out},
                 {"future_left_out", future.left_out}};
  return answer;
}

}  // namespace dpm::cli
