// Every analysis that takes events under the contract of analyses, on a simulated server with several clients. Analyses
// of the history graph take a History, so the graph itself stands for them.
#include <algorithm>
#include <functional>
#include <sstream>

#include "analysis/blame/blame.hpp"
#include "analysis/clocks/clocks.hpp"
#include "analysis/history/history.hpp"
#include "analysis/levels/levels.hpp"
#include "analysis/levels/queue_levels.hpp"
#include "analysis/matching/matching.hpp"
#include "analysis/messages/message_resolver.hpp"
#include "analysis/messages/queue_feed.hpp"
#include "analysis/queues/process_waits.hpp"
#include "analysis/queues/queues.hpp"
#include "analysis/statistics/call_sites.hpp"
#include "analysis/statistics/statistics.hpp"
#include "analysis/timeline/recorded_timeline.hpp"
#include "backends/sim/sim_source.hpp"
#include "sampling/trace/state_history.hpp"
#include "scheduling/window/sliding_window.hpp"
#include "tests/contract/analysis_contract.hpp"
#include "tests/contract/scenarios.hpp"
#include "tests/support/catch.hpp"
#include "twin/twin.hpp"

using namespace dpm;

namespace {

Recording typical() {
  SimSource source(busy_server(4, 25));
  auto recording = record(source);
  REQUIRE(recording.has_value());
  return std::move(recording).value();
}

template <typename Numbers>
void write_all(std::ostream& out, const Numbers& numbers) {
  for (const auto& number : numbers) out << ' ' << number;
}

std::string statistics_of(EventSource& source) {
  StatisticsAnalysis analysis;
  REQUIRE(source.run(analysis));
  const Statistics result = analysis.result();
  std::ostringstream out;
  out << result.events << ' ' << result.sent_local << ' ' << result.sent_remote << ' ' << result.sizes.messages << ' '
      << result.sizes.bytes << ' ' << result.losses.seen << '\n';
  for (const auto& process : result.processes) {
    out << "process " << process.process.value << ' ' << process.sent << ' ' << process.sent_bytes << ' '
        << process.received << ' ' << process.received_bytes << ' ' << process.sent_local << ' ' << process.sent_remote
        << ' ' << process.cpu_ns << ' ' << process.cpu_share << ' ' << process.first_time.ns << ' '
        << process.last_time.ns;
    write_all(out, process.events_by_type);
    out << '\n';
  }
  for (const auto& traffic : result.messages) {
    out << "traffic " << traffic.from.value << ' ' << traffic.to.value << ' ' << traffic.messages() << ' '
        << traffic.bytes() << ' ' << traffic.remote << '\n';
  }
  for (const auto& machine : result.machines) {
    out << "machine " << machine.machine.value << ' ' << machine.sent << ' ' << machine.density.begin().ns << ' '
        << machine.density.width().ns;
    write_all(out, machine.density.counts());
    out << '\n';
  }
  return out.str();
}

std::string call_sites_of(EventSource& source) {
  CallSiteAnalysis analysis;
  REQUIRE(source.run(analysis));
  std::ostringstream out;
  for (const auto& site : analysis.result())
    out << site.process.value << ' ' << site.pc << ' ' << site.sent << ' ' << site.sent_bytes << ' ' << site.received
        << ' ' << site.received_bytes << '\n';
  return out.str();
}

std::string queues_of(EventSource& source) {
  QueueAnalysis analysis;
  REQUIRE(source.run(analysis));
  const Queues result = analysis.result();
  std::ostringstream out;
  for (const auto& queue : result.processes) {
    out << "process " << queue.process.value << ' ' << queue.measured << ' ' << queue.queued << ' ' << queue.received
        << ' ' << queue.length_max << ' ' << queue.length_mean << ' ' << queue.waits.count() << ' '
        << queue.waits.mean_ns() << ' ' << queue.waits.max_ns() << ' ' << queue.still_queued << ' '
        << queue.receives_without_queued;
    write_all(out, queue.time_share);
    for (const auto& point : queue.series)
      out << ' ' << point.from.ns << ':' << point.length_mean << ':' << point.length_max;
    out << '\n';
  }
  return out.str();
}

std::string matching_of(EventSource& source) {
  MatchingAnalysis analysis;
  REQUIRE(source.run(analysis));
  std::ostringstream out;
  write_all(out, analysis.result().messages);
  return out.str();
}

std::string clocks_of(EventSource& source) {
  ClockAnalysis analysis;
  REQUIRE(source.run(analysis));
  std::ostringstream out;
  write_all(out, analysis.result().tick_ns);
  for (const auto& known : analysis.result().relations)
    out << '\n'
        << known.a.value << ' ' << known.b.value << ' ' << known.messages_from_a << ' ' << known.messages_from_b << ' '
        << known.at.ns << ' ' << static_cast<double>(known.offset.base_ns) + known.offset.more.low << ' '
        << known.offset.more.width() << ' ' << known.drift.low << ' ' << known.drift.high;
  return out.str();
}

std::string history_of(EventSource& source) {
  HistoryBuilder builder;
  REQUIRE(source.run(builder));
  const auto history = builder.take();
  if (!history) return history.error().what;
  std::ostringstream out;
  write_all(out, history->first_event);
  for (const auto& event : history->events) {
    out << '\n'
        << static_cast<int>(event.kind()) << ' ' << static_cast<int>(event.arc()) << ' ' << event.cpu_ns << ' '
        << event.match << ' ' << event.length_bytes << ' ' << event.channel << ' ' << event.peer;
  }
  out << '\n' << history->receives_without_send << ' ' << history->sends_without_receive;
  return out.str();
}

std::string levels_of(EventSource& source) {
  LevelsAnalysis levels;
  REQUIRE(source.run(levels));
  std::vector<RunTime> edges;
  for (int i = -1; i < 40; ++i) edges.push_back(RunTime::from_seconds(i * .05));
  std::ostringstream out;
  out << levels.events() << ' ' << levels.offsets().last().ns << ' ' << levels.offsets().is_common() << '\n';
  for (std::uint32_t p = 0; p < levels.processes(); ++p)
    for (const auto& did : levels.of(ProcessId{p}, edges))
      out << did.cpu_ns << ' ' << did.waiting_ns << ' ' << did.queue_ns << ' ' << did.sent << ' ' << did.sent_bytes
          << ' ' << did.received << ' ' << did.received_bytes << '\n';
  std::vector<std::string> pairs;  // they are numbered as they come
  for (std::size_t pair = 0; pair < levels.pairs(); ++pair) {
    std::ostringstream text;
    text << levels.ends_of(pair).from.value << ' ' << levels.ends_of(pair).to.value;
    for (const auto& did : levels.of_pair(pair, edges)) text << ' ' << did.messages << ' ' << did.bytes;
    pairs.push_back(text.str());
  }
  std::sort(pairs.begin(), pairs.end());
  for (const auto& pair : pairs) out << pair << '\n';
  return out.str();
}

std::string twin_of(EventSource& source) {
  twin::RecordingSink recorder;
  REQUIRE(source.run(recorder));
  auto recording = recorder.take();
  if (!recording) return recording.error().what;
  const auto made = twin::make_twin(std::move(*recording));
  if (!made) return made.error().what;
  std::ostringstream out;
  for (const auto& group : made->groups)
    out << group.name << ' ' << group.count << ' ' << group.program.start.size() << ' ' << group.program.handlers.size()
        << ' ' << group.messages << ' ' << group.activities << ' ' << group.cpu_s << '\n';
  return out.str();
}

// An analysis of live programs: what `source` delivers is read twice, as commands do.
RunAnalysis resolved(const RunAnalysis& run) {
  return [run](EventSource& source) {
    const Recording recording = record(source).value();
    MessageSurvey survey;
    REQUIRE(MemorySource(recording).run(survey));
    RecordingSink sink;
    MessageResolver resolver(std::move(survey), sink);
    REQUIRE(MemorySource(recording).run(resolver));
    MemorySource messages(sink.recording());
    return run(messages);
  };
}

std::string fed_queues_of(EventSource& source) {
  const Recording recording = record(source).value();
  RecordingSink sink;
  QueueFeed feed(sink);
  REQUIRE(MemorySource(recording).run(feed));
  MemorySource queues(sink.recording());
  return queues_of(queues);
}

std::string fed_queue_levels_of(EventSource& source) {
  const Recording recording = record(source).value();
  QueueLevels levels;
  QueueFeed feed(levels);
  REQUIRE(MemorySource(recording).run(feed));
  MachineOffsets offsets;
  for (const Event& event : recording.events) offsets.note(event, recording.info);
  std::vector<RunTime> edges;
  for (int i = -1; i < 40; ++i) edges.push_back(RunTime::from_seconds(i * .05));
  std::ostringstream out;
  for (std::uint32_t p = 0; p < recording.info.processes.size(); ++p)
    for (const std::uint64_t length : levels.of(ProcessId{p}, edges, offsets)) out << length << '\n';
  return out.str();
}

// Analyses of events that are kept: on one axis of time, as one machine's clock is.
struct KeptEvents {
  Recording recording;
  std::vector<std::int64_t> times_ns;

  explicit KeptEvents(EventSource& source) : recording(record(source).value()) {
    std::stable_sort(recording.events.begin(), recording.events.end(),
                     [](const Event& a, const Event& b) { return a.local_time < b.local_time; });
    for (const Event& event : recording.events) times_ns.push_back(event.local_time.ns);
  }
};

// READYTIME and DISKTIME as where the simulator knows that nothing waits for either.
Recording with_waits_measured(Recording recording) {
  for (Event& event : recording.events) event.ready_time_ns = event.disk_time_ns = 0;
  return recording;
}

std::string blame_of(EventSource& source) {
  const KeptEvents kept(source);
  const BlameAnalysis blame(kept.recording.events, kept.times_ns, kept.recording.info);
  std::ostringstream out;
  const std::function<void(const BlameNode&)> write = [&](const BlameNode& node) {
    out << '\n' << node.process.value;
    write_all(out, node.parts_ns);
    for (const BlameNode& wait : node.waits) write(wait);
  };
  for (std::uint32_t p = 0; p < kept.recording.info.processes.size(); ++p)
    if (const auto life = blame.lifetime({p})) write(blame.divide({p}, *life));
  return out.str();
}

std::string timeline_of(EventSource& source) {
  const KeptEvents kept(source);
  std::ostringstream out;
  const auto timeline = make_recorded_timeline({kept.recording.events, kept.times_ns}, kept.recording.info);
  for (const auto& segment : timeline.segments)
    out << segment.process.value << ' ' << static_cast<int>(segment.kind) << ' ' << segment.from_ns << ' '
        << segment.to_ns << '\n';
  return out.str();
}

std::string states_of(EventSource& source) {
  const KeptEvents kept(source);
  std::ostringstream out;
  const sampling::StateHistory history(kept.recording.events, kept.times_ns, kept.recording.info);
  for (const auto& process : history.stretches())
    for (const auto& stretch : process) out << stretch.from_ns << ' ' << stretch.to_ns << ' ' << stretch.cpu_ns << '\n';
  return out.str();
}

std::string process_waits_of(EventSource& source) {
  const Recording recording = record(source).value();
  ProcessWaits waits;
  REQUIRE(MemorySource(recording).run(waits));
  std::ostringstream out;
  for (const auto& [process, own] : waits.result(recording.info))
    out << process.value << ' ' << own.messages << ' ' << own.receiving.total_ns() << ' ' << own.working.total_ns()
        << ' ' << own.working.other_ns << '\n';
  return out.str();
}

// The history of the last seconds, as schedulers see it.
std::string window_of(EventSource& source) {
  SlidingWindow window({.length = Duration{INT64_MAX / 2}});
  REQUIRE(source.run(window));
  const auto history = window.history();
  if (!history) return history.error().what;
  std::ostringstream out;
  for (const auto& event : history->events) out << event.cpu_ns << '\n';
  for (const auto& load : window.loads()) out << load.cpu_ns << '\n';
  return out.str();
}

}  // namespace

TEST_CASE("analysis contract: acquired processes in analyses of kept events", "[contract]") {
  for (const RunAnalysis& run : {RunAnalysis(blame_of), RunAnalysis(timeline_of), RunAnalysis(states_of),
                                 RunAnalysis(process_waits_of), RunAnalysis(window_of)})
    CHECK(check_acquired(run, with_waits_measured(typical())) == std::vector<std::string>{});
}

TEST_CASE("analysis contract: message statistics", "[contract]") {
  CHECK(check_analysis_contract(statistics_of, typical()) == std::vector<std::string>{});
}

TEST_CASE("analysis contract: call sites", "[contract]") {
  CHECK(check_analysis_contract(call_sites_of, typical()) == std::vector<std::string>{});
}

TEST_CASE("analysis contract: queues", "[contract]") {
  CHECK(check_analysis_contract(queues_of, typical()) == std::vector<std::string>{});
}

TEST_CASE("analysis contract: matching", "[contract]") {
  CHECK(check_analysis_contract(matching_of, typical()) == std::vector<std::string>{});
}

TEST_CASE("analysis contract: levels", "[contract]") {
  CHECK(check_analysis_contract(levels_of, typical()) == std::vector<std::string>{});
}

TEST_CASE("analysis contract: clocks", "[contract]") {
  CHECK(check_analysis_contract(clocks_of, typical()) == std::vector<std::string>{});
}

TEST_CASE("analysis contract: streams and datagrams become messages", "[contract]") {
  Recording live = told_in_bytes(client_and_server(60));
  for (const auto kind : {ChannelKind::stream, ChannelKind::datagram}) {
    for (auto& channel : live.info.channels) channel.kind = kind;
    for (const RunAnalysis& run : {RunAnalysis(statistics_of), RunAnalysis(fed_queues_of),
                                   RunAnalysis(fed_queue_levels_of), RunAnalysis(matching_of), RunAnalysis(history_of)})
      CHECK(check_analysis_contract(resolved(run), live) == std::vector<std::string>{});
  }
}

TEST_CASE("analysis contract: twins", "[contract]") {
  CHECK(check_analysis_contract(twin_of, typical()) == std::vector<std::string>{});
}

TEST_CASE("analysis contract: the history graph", "[contract]") {
  CHECK(check_analysis_contract(history_of, typical()) == std::vector<std::string>{});
}
