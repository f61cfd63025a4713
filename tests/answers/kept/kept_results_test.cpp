// The results of one pass in bounded memory against those that the commands compute from a whole trace of the same events.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/messages/queue_feed.hpp"
#include "analysis/statistics/threads.hpp"
#include "answers/kept/results_file.hpp"
#include "answers/kept/window_results.hpp"
#include "answers/reading/tee_sink.hpp"
#include "answers/results/queues_results.hpp"
#include "answers/results/statistics_results.hpp"
#include "model/random.hpp"
#include "tests/analysis/messages/live_script.hpp"
#include "tests/support/catch.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;
using test::LiveScript;

// Rows of processes outside are numbered as they become known, which is another order than that of a whole trace.
Json in_order(Json document) {
  for (const char* list : {"processes", "messages"})
    if (document.contains(list))
      std::sort(document[list].begin(), document[list].end(),
                [](const Json& a, const Json& b) { return a.dump() < b.dump(); });
  document.erase("ledger");
  return document;
}

struct Results {
  Json statistics, queues;
};

Results from_trace(const Recording& recording) {
  MessageSurvey survey;
  DPM_CHECK(MemorySource(recording).run(survey).has_value());
  StatisticsAnalysis statistics;
  QueueAnalysis queues;
  QueueFeed feed(queues);
  ProcessWaits waits;
  TeeSink tee({&statistics, &feed, &waits});
  MessageResolver resolver(std::move(survey), tee);
  DPM_CHECK(MemorySource(recording).run(resolver).has_value());
  Queues found = queues.result();
  found.own_waits = waits.result(resolver.info());
  return {in_order(statistics_json(sum_threads(statistics.result(), resolver.info()), resolver.info(), {})),
          in_order(queues_json(found, resolver.info(), {}))};
}

Results of(const StatisticsAnalysis& statistics, const QueueAnalysis& queues, const ProcessWaits& waits,
           const TraceInfo& info) {
  Queues found = queues.result();
  found.own_waits = waits.result(info);
  return {in_order(statistics_json(sum_threads(statistics.result(), info), info, {})),
          in_order(queues_json(found, info, {}))};
}

// Processes with threads, connections between them and to the outside, requests that wait for others, messages in pieces.
Recording random_program(std::uint64_t seed, std::uint32_t steps, bool measures_waits) {
  Random random(seed);
  LiveScript script;
  std::vector<ProcessId> threads;
  for (int p = 0; p < 4; ++p) {
    threads.push_back(script.process("p" + std::to_string(p)));
    if (random.chance(.4)) threads.push_back(script.process("p" + std::to_string(p) + "/1", threads.back()));
  }
  const auto any = [&] { return threads[random.below(threads.size())]; };
  struct Pipe {
    ChannelId channel;
    ProcessId from, to;  // `to` may be outside
    std::uint64_t sent = 0, received = 0;
  };
  std::vector<Pipe> pipes;
  for (int c = 0; c < 6; ++c) {
    const bool leads_outside = random.chance(.3);
    pipes.push_back({script.stream("tcp 10.0.0.1:" + std::to_string(40'000 + c) + " > 10.0.0.2:80"), any(),
                     leads_outside ? ProcessId{} : any()});
  }
  for (std::uint32_t step = 0; step < steps; ++step) {
    Pipe& pipe = pipes[random.below(pipes.size())];
    const auto bytes = static_cast<std::uint32_t>(1 + random.below(2000));
    if (random.chance(.5)) {
      script.send(pipe.from, pipe.channel, pipe.sent, bytes);
      pipe.sent += bytes;
    } else if (!pipe.to.is_none() && pipe.received < pipe.sent) {
      script.receive_call(pipe.to, 0);
      const auto taken = static_cast<std::uint32_t>(
          random.chance(.6) ? pipe.sent - pipe.received : std::min<std::uint64_t>(bytes, pipe.sent - pipe.received));
      script.receive(pipe.to, pipe.channel, pipe.received, taken);
      pipe.received += taken;
    } else {
      script.event(any(), EventType::exec);
    }
  }
  Recording recording = std::move(script.recording);
  if (measures_waits)
    for (Event& event : recording.events) {
      event.ready_time_ns = event.proc_time_ns / 3;
      event.disk_time_ns = event.proc_time_ns / 7;
    }
  return recording;
}

void record(const Recording& recording, ResultsRecorder& recorder, std::size_t batch) {
  DPM_CHECK(MemorySource(recording, batch).run(recorder).has_value());
}

std::filesystem::path scratch_file() {
  const auto path = std::filesystem::temp_directory_path() / ("dpm-kept-" + std::to_string(::getpid()));
  std::filesystem::remove(path);
  return path;
}

}  // namespace

TEST_CASE("kept results: all sums and queues are those of a trace of the same events", "[kept]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Recording recording = random_program(seed, 1500, seed % 2 == 0);
    const Results trace = from_trace(recording);
    ResultsRecorder recorder;
    record(recording, recorder, 1 + seed % 90);
    const Results kept = of(recorder.statistics(), recorder.queues(), recorder.waits(), recorder.info());
    INFO("seed " << seed);
    CHECK(kept.statistics == trace.statistics);
    CHECK(kept.queues == trace.queues);
  }
}

TEST_CASE("kept results: so they are when queues are played while the program runs", "[kept]") {
  const Recording recording = random_program(7, 120'000, true);
  const Results trace = from_trace(recording);
  ResultsRecorder recorder;
  record(recording, recorder, 500);
  const Results kept = of(recorder.statistics(), recorder.queues(), recorder.waits(), recorder.info());
  CHECK(kept.statistics == trace.statistics);
  CHECK(kept.queues == trace.queues);
}

TEST_CASE("kept results: a file has what was written into it, and P over time adds up to the CPU time", "[kept]") {
  const Recording recording = random_program(3, 3000, true);
  ResultsRecorder recorder;
  record(recording, recorder, 64);
  const std::filesystem::path file = scratch_file();
  Ledger ledger;
  ledger.seen = ledger.kept = recording.events.size();
  ledger.warnings = {"a warning"};
  REQUIRE(write_results(file, recorder, ledger, true).has_value());
  CHECK(holds_results(file));
  const auto read = read_results(file);
  REQUIRE(read.has_value());
  const KeptResults& kept = **read;
  CHECK(kept.is_over);
  CHECK(kept.ledger.warnings == ledger.warnings);
  CHECK(kept.ledger.seen == ledger.seen);
  const Results before = of(recorder.statistics(), recorder.queues(), recorder.waits(), recorder.info());
  const Results after = of(kept.statistics, kept.queues, kept.waits, kept.info);
  CHECK(after.statistics == before.statistics);
  CHECK(after.queues == before.queues);
  double cpu_s = 0, messages = 0;
  for (const RunWindow& window : windows_of(kept.page, 20)) {
    cpu_s += window.P * (window.to_s - window.from_s);
    messages += window.messages;
  }
  double cpu_of_all_s = 0;
  for (const auto& process : before.statistics.at("processes")) cpu_of_all_s += process.at("cpu_s").get<double>();
  CHECK(cpu_s == Approx(cpu_of_all_s).epsilon(1e-3));
  double counted = 0;
  for (const auto& pair : before.statistics.at("messages")) counted += pair.at("count").get<double>();
  CHECK(messages == counted);
  std::filesystem::remove(file);
}

TEST_CASE("kept results: a damaged file is refused", "[kept]") {
  ResultsRecorder recorder;
  record(random_program(5, 300, false), recorder, 64);
  const std::filesystem::path file = scratch_file();
  REQUIRE(write_results(file, recorder, {}, true).has_value());
  std::string text;
  {
    std::ifstream in(file, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (std::size_t at = 0; at < text.size(); at += 1 + text.size() / 40) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    std::ofstream(file, std::ios::binary) << changed;
    INFO("byte " << at);
    const bool is_known = holds_results(file) && read_results(file).has_value();
    CHECK_FALSE((is_known && at >= 16));
  }
  std::ofstream(file, std::ios::binary) << text.substr(0, text.size() / 2);
  CHECK_FALSE(read_results(file).has_value());
  std::filesystem::remove(file);
}

TEST_CASE("kept results: processes without end share rows, and their CPU time adds up", "[kept]") {
  ResultsRecorder recorder;
  TraceInfo info;
  info.machines = {{"here", 1}};
  recorder.on_begin(info);
  constexpr std::uint32_t kProcesses = 20'000;
  for (std::uint32_t p = 0; p < kProcesses; ++p) {
    TraceGrowth growth;
    ProcessInfo process;
    process.name = "worker#" + std::to_string(p + 1);
    process.program = "/bin/worker";
    process.machine = MachineId{0};
    process.pid = process.tid = p + 1;
    growth.processes.push_back(process);
    if (p > 0) growth.ended.push_back(ProcessId{p - 1});
    recorder.on_growth(growth);
    std::vector<Event> events(2);
    for (std::uint64_t i = 0; i < 2; ++i) {
      events[i].type = i == 0 ? EventType::start_process : EventType::destroy_process;
      events[i].process = ProcessId{p};
      events[i].machine = MachineId{0};
      events[i].local_time.ns = static_cast<std::int64_t>(p) * 1000 + static_cast<std::int64_t>(i) * 500;
      events[i].proc_time_ns = i * 100;
    }
    recorder.on_events(events);
  }
  recorder.on_end({});
  CHECK(recorder.info().processes.size() == ProcessSlots::kOwnMost + 1);
  std::uint64_t cpu_ns = 0, events = 0;
  for (const ProcessStatistics& process : recorder.statistics().result().processes) {
    cpu_ns += process.cpu_ns;
    events += process.events;
  }
  CHECK(cpu_ns == kProcesses * std::uint64_t{100});
  CHECK(events == kProcesses * std::uint64_t{2});
  CHECK(recorder.info().processes.back().name == "further worker");
}

}  // namespace dpm::cli
