// The live page's answers about a live program, of which some programs that it talks to are not metered.
#include <numeric>

#include "answers/live/live_trace.hpp"
#include "tests/analysis/messages/live_script.hpp"
#include "tests/answers/live/ask.hpp"
#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using namespace dpm::cli;
using namespace dpm::test;
using view::Json;

namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr std::int64_t kDayNs = 1'700'000'000'000'000'000;

// A client and a server of two threads, and a client that is not metered. The server takes each request a moment late.
struct Service {
  LiveScript script;
  ProcessId client = script.process("client"), server = script.process("server"), thread = script.process("t", server);

  // Half-way, all of them do nothing for `idle_s`.
  explicit Service(int requests, double idle_s = 0) {
    const ChannelId there = script.stream("there"), from_outside = script.stream("from outside"),
                    to_outside = script.stream("to outside");
    auto& channels = script.recording.info.channels;
    channels[there.value].owner = server;
    channels[from_outside.value].owner = server;
    // The packets of the receiver come before those of the sender.
    for (int i = 0; i < requests; ++i) {
      const auto at = static_cast<std::uint64_t>(i);
      script.receive(server, from_outside, at * 7, 7);
      script.send(thread, to_outside, at * 9, 9);
      script.send(client, there, at * 10, 10);
      if (i > 0) script.receive(server, there, at * 10 - 10, 10);
    }
    auto& events = script.recording.events;
    for (std::size_t i = 0; i < events.size(); ++i)
      events[i].local_time.ns += kDayNs + (i < events.size() / 2 ? 0 : Duration::from_seconds(idle_s).ns);
  }
};

// Keeps its writer open: the trace is being recorded.
class Growing {
 public:
  Growing(const std::string& path, const TraceInfo& info, std::span<const Event> events)
      : rules_{RuleSet::keep_all(event_layouts())},
        writer_(TraceWriter::create(path, describe_events({"filter"}, rules_)).value()),
        filter_(rules_, *writer_) {
    filter_.on_begin(info);
    filter_.on_events(events);
    writer_->flush();
  }
  void end(std::uint64_t seen) { filter_.on_end({.seen = seen}); }

 private:
  std::vector<RuleSet> rules_;
  std::unique_ptr<TraceWriter> writer_;
  EventFilter filter_;
};

view::Answer ask(LiveTrace& live, const std::string& name, const Json& params = Json::object()) {
  auto answer = ask_and_wait(live, {name, params});
  INFO(name << (answer ? "" : ": " + answer.error().what));
  REQUIRE(answer.has_value());
  return *std::move(answer);
}

std::vector<double> numbers(const view::Answer& answer, const std::string& name) {
  for (const auto& array : answer.arrays)
    if (array.name == name)
      return std::visit([](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
                        array.values);
  FAIL("no array " << name);
  return {};
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.); }

Json await(LiveTrace& live, const std::string& name) {
  for (int i = 0; i < 3000; ++i) {
    Json answer = ask(live, name).json;
    if (!answer.contains("computing")) return answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  FAIL(name << " is not computed");
  return {};
}

std::string texts_of(const Json& warnings) {
  std::string texts;
  for (const Json& warning : warnings) texts += warning.at("text").get<std::string>() + "\n";
  return texts;
}

}  // namespace

TEST_CASE("live: each message counts once, in the overview as in the arcs, with one box for what is not metered",
          "[live]") {
  const TemporaryFolder folder;
  const Service service(100);
  Growing growing(folder / "trace", service.script.recording.info, service.script.recording.events);
  const auto live = LiveTrace::open(folder / "trace").value();
  live->read(kAll);
  const Json described = ask(*live, "describe").json;
  CHECK(described.at("state") == "recording");
  CHECK(described.at("started").get<double>() == Approx(1'700'000'000).margin(1));
  CHECK(ask(*live, "overview").json.at("processes_running") == 2);  // not their threads
  std::uint32_t outside = 0;
  for (const Json& process : described.at("processes"))
    if (process.at("outside") == true) outside = process.at("id");
  REQUIRE(outside != 0);

  const auto traffic = ask(*live, "traffic");
  std::map<std::pair<double, double>, double> arcs;
  const auto from = numbers(traffic, "from"), to = numbers(traffic, "to"), messages = numbers(traffic, "messages");
  for (std::size_t i = 0; i < from.size(); ++i) arcs[{from[i], to[i]}] = messages[i];
  const std::map<std::pair<double, double>, double> expected = {
      {{0, 1}, 100}, {{outside, 1}, 100}, {{1, outside}, 100}};
  CHECK(arcs == expected);
  const auto overview = ask(*live, "overview", {{"width", 50}});
  CHECK(overview.json.at("messages") == 300);
  CHECK(overview.json.at("bytes") == 2600);
  CHECK(sum(numbers(overview, "messages_of")) * overview.json.at("step_s").get<double>() == Approx(300));
  const auto series =
      ask(*live, "series",
          {{"width", 50}, {"of", {{{"what", "messages"}}, {{"what", "messages"}, {"from", outside}, {"to", 1}}}}});
  const double step_s = series.json.at("step_s");
  CHECK(sum(numbers(series, "v0")) * step_s == Approx(300));
  CHECK(sum(numbers(series, "v1")) * step_s == Approx(100));
}

TEST_CASE("live: a program that runs has not ended too early, and its queues are known as far as they were analysed",
          "[live]") {
  const TemporaryFolder folder;
  const Service service(100);
  const auto& recording = service.script.recording;
  Growing growing(folder / "trace", recording.info, recording.events);
  const auto live = LiveTrace::open(folder / "trace").value();
  live->read(kAll);
  const Json before = ask(*live, "describe").json;
  CHECK(before.at("can").at("live_queues") == false);
  CHECK(before.at("why_not").at("live_queues") == "Known when the trace is analysed.");
  const Json placement = await(*live, "placement");
  const Json overview = ask(*live, "overview").json;
  INFO(texts_of(overview.at("warnings")));
  CHECK(texts_of(overview.at("warnings")).find("ends before the program") == std::string::npos);
  CHECK(texts_of(overview.at("warnings")).find("still being recorded") == std::string::npos);
  CHECK(texts_of(overview.at("warnings")).find("grows") == std::string::npos);
  CHECK(overview.at("queued").is_null());  // now
  CHECK(ask(*live, "describe").json.at("can").at("live_queues") == true);
  // One request is queued while the server handles the one before.
  const auto traffic = ask(*live, "traffic");
  CHECK(numbers(traffic, "queue").at(service.server.value) == Approx(1).margin(.5));
  const auto queued = numbers(ask(*live, "overview", {{"width", 10}}), "queued_of");
  CHECK(queued.at(5) == Approx(1).margin(.5));

  growing.end(recording.events.size());
  live->read(kAll);
  await(*live, "queues");
  for (int i = 0; i < 3000 && ask(*live, "overview").json.at("queued").is_null(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(ask(*live, "overview").json.at("queued") == 1);  // the last request
}

TEST_CASE("live: predictions say what they are of", "[live]") {
  const TemporaryFolder folder;
  const Service service(100, 30);
  const auto& recording = service.script.recording;
  write_trace(folder / "trace", recording.info, recording.events);
  const auto live = LiveTrace::open(folder / "trace").value();
  live->read(kAll);
  const Json notes = await(*live, "placement").at("notes");
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].get<std::string>().find("they leave out the time in which all processes waited") != std::string::npos);
}
