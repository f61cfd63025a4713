// The live page's answers for traces that grow, are damaged, or have hostile names, without a server.
#include "answers/live/live_trace.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <set>
#include <thread>

#include "answers/live/packet_times.hpp"
#include "tests/answers/live/ask.hpp"
#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"
#include "view/answers/requests.hpp"

using namespace dpm;
using namespace dpm::cli;
using namespace dpm::test;
using view::Json;

namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

view::Answer ask(LiveTrace& live, const std::string& name, const Json& params = Json::object()) {
  auto answer = ask_and_wait(live, {name, params});
  INFO(name << (answer ? "" : ": " + answer.error().what));
  REQUIRE(answer.has_value());
  return *std::move(answer);
}

std::string refused(LiveTrace& live, const std::string& name, const Json& params) {
  auto answer = ask_and_wait(live, {name, params});
  return answer ? "" : answer.error().what;
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

// Of `params` those that the request has; of what series, where it must be told.
Json taken_by(const view::Request& request, const Json& params) {
  Json taken = Json::object();
  for (const view::Field& parameter : request.parameters) {
    const std::string name(view::bare_name(parameter));
    if (params.contains(name)) taken[name] = params.at(name);
    if (name == "of") taken[name] = {{{"what", "cpu"}}};
  }
  return taken;
}

// Requests and answers between a client and servers, a millisecond each.
struct Talk {
  TraceInfo info;
  std::vector<Event> events;

  explicit Talk(std::uint32_t exchanges, std::uint32_t servers = 3) {
    info.source = "test";
    info.properties.scripted = true;
    info.machines = {{"red", 1}};
    info.processes.push_back({"client", "c", MachineId{0}, 0, true});
    for (std::uint32_t s = 0; s < servers; ++s) info.processes.push_back({"server", "s", MachineId{0}, 0, true});
    for (std::uint32_t p = 0; p <= servers; ++p) info.channels.push_back({ProcessId{p}, ""});
    std::vector<std::uint64_t> cpu(servers + 1);
    std::int64_t now_ns = 0;
    for (std::uint32_t i = 0; i < exchanges; ++i) {
      const std::uint32_t server = 1 + i % servers;
      const auto add = [&](EventType type, std::uint32_t process, std::uint32_t peer, std::uint64_t used_ns) {
        cpu[process] += used_ns;
        now_ns += 100'000;
        Event event;
        event.type = type;
        event.process = ProcessId{process};
        event.peer = ProcessId{peer};
        event.machine = MachineId{0};
        event.channel = ChannelId{type == EventType::send ? peer : process};
        event.sequence = i;
        event.length_bytes = 100;
        event.local_time = {now_ns};
        event.proc_time_ns = cpu[process];
        events.push_back(event);
      };
      add(EventType::send, 0, server, 50'000);
      add(EventType::receive_call, 0, 0, 0);
      add(EventType::receive, server, 0, 10'000);
      add(EventType::send, server, 0, 80'000);
      add(EventType::receive, 0, server, 10'000);
      add(EventType::receive_call, server, server, 0);
    }
  }
};

// A trace that a filter writes while it is read.
class Recorder {
 public:
  Recorder(const std::string& path, const TraceInfo& info)
      : rules_({RuleSet::keep_all(event_layouts())}),
        writer_(TraceWriter::create(path, describe_events({"filter"}, rules_)).value()),
        filter_(std::move(rules_), *writer_) {
    filter_.on_begin(info);
  }

  void write(std::span<const Event> events) {
    filter_.on_events(events);
    writer_->flush();
  }
  void end(std::size_t seen) { filter_.on_end({.seen = seen}); }

 private:
  std::vector<RuleSet> rules_;
  std::unique_ptr<TraceWriter> writer_;
  EventFilter filter_;
};

std::unique_ptr<LiveTrace> open(const std::string& path) {
  auto live = LiveTrace::open(path);
  REQUIRE(live.has_value());
  return *std::move(live);
}

}  // namespace

TEST_CASE("live: what happens inside processes is in the space-time diagram", "[live]") {
  Talk talk(20);
  talk.info.primitive_events = {{"point_enter", "here", "main"}, {"integer_assign", "i", "main"}};
  for (const std::uint32_t row : {1u, 0u}) {
    Event inside = talk.events[4];
    inside.type = row == 1 ? EventType::value : EventType::point;
    inside.code = row;
    inside.channel = {};
    inside.peer = {};
    inside.length_bytes = 0;
    inside.sequence = row == 1 ? static_cast<std::uint64_t>(-7) : 0;
    talk.events.insert(talk.events.begin() + 5, inside);
  }
  const TemporaryFolder folder;
  write_trace(folder / "trace", talk.info, talk.events);
  const auto live = open(folder / "trace");
  live->read(kAll);
  const auto answer = ask(*live, "spacetime");
  CHECK(numbers(answer, "inside_event") == std::vector<double>{0, 1});
  CHECK(numbers(answer, "inside_value")[1] == -7);
  CHECK(std::isnan(numbers(answer, "inside_value")[0]));
  CHECK(answer.json["inside_events"][0]["action"] == "point_enter");
  CHECK(numbers(answer, "inside_row").size() == 2);
}

TEST_CASE("live: sums over a whole trace, and over the parts of it", "[live]") {
  const TemporaryFolder folder;
  const Talk talk(2000);
  write_trace(folder / "trace", talk.info, talk.events);
  const auto live = open(folder / "trace");
  CHECK(ask(*live, "describe").json.at("state") == "recording");  // nothing was read yet
  live->read(kAll);
  const Json described = ask(*live, "describe").json;
  CHECK(described.at("state") == "ended");
  CHECK(described.at("read") == 1.);
  CHECK(described.at("processes").size() == 4);
  const auto all = ask(*live, "traffic");
  CHECK(sum(numbers(all, "messages")) == 4000);
  CHECK(sum(numbers(all, "bytes")) == 400'000);
  CHECK(sum(numbers(all, "cpu_s")) == Approx(2000 * 150e-6));
  const double now_s = described.at("now_s");
  double messages = 0, cpu_s = 0;
  for (int part = 0; part < 7; ++part) {
    Json window = {{"from_s", now_s * part / 7}, {"to_s", part == 6 ? now_s + 1 : now_s * (part + 1) / 7}};
    const auto traffic = ask(*live, "traffic", window);
    messages += sum(numbers(traffic, "messages"));
    cpu_s += sum(numbers(traffic, "cpu_s"));
  }
  CHECK(messages == 4000);
  CHECK(cpu_s == Approx(2000 * 150e-6).epsilon(1e-6));
  const auto overview = ask(*live, "overview", {{"width", 100}});
  CHECK(overview.json.at("messages") == 4000);
  CHECK(sum(numbers(overview, "messages_of")) * overview.json.at("step_s").get<double>() == Approx(4000));
  CHECK(numbers(overview, "t_s").size() == 100);
  const auto series = ask(*live, "series",
                          {{"width", 64},
                           {"of",
                            {{{"what", "sent"}, {"process", 0}},
                             {{"what", "messages"}, {"from", 0}, {"to", 1}},
                             {{"what", "waiting"}, {"process", 0}},
                             {{"what", "messages"}}}}});
  const double step_s = series.json.at("step_s");
  CHECK(sum(numbers(series, "v0")) * step_s == Approx(2000));
  CHECK(sum(numbers(series, "v1")) * step_s == Approx(667));
  CHECK(sum(numbers(series, "v2")) * step_s == Approx(2000 * 290e-6).epsilon(1e-3));
  CHECK(sum(numbers(series, "v3")) * step_s == Approx(4000));
}

TEST_CASE("live: no answer has more bins than were asked for", "[live]") {
  const TemporaryFolder folder;
  const Talk talk(2000);
  write_trace(folder / "trace", talk.info, talk.events);
  const auto live = open(folder / "trace");
  live->read(kAll);
  const Json of_process = {{"what", "sent"}, {"process", 0}}, of_pair = {{"what", "messages"}, {"from", 0}, {"to", 1}};
  const Json of_run = {{"what", "cpu"}};
  for (const std::size_t width : {1u, 20u, 64u, 500u}) {
    CHECK(numbers(ask(*live, "overview", {{"width", width}}), "t_s").size() == width);
    for (const Json& of : {of_process, of_pair, of_run}) {
      const auto series = ask(*live, "series", {{"width", width}, {"of", Json::array({of, of})}});
      CHECK(numbers(series, "t_s").size() == width);
      CHECK(numbers(series, "v1").size() == width);
    }
    CHECK(ask(*live, "levels", {{"width", width}}).json.at("bins") == width);
  }
}

TEST_CASE("live: a small window is exact, a large one is not", "[live]") {
  const TemporaryFolder folder;
  const Talk talk(20'000);
  write_trace(folder / "trace", talk.info, talk.events);
  const auto live = open(folder / "trace");
  live->read(kAll);
  const auto small = ask(*live, "spacetime", {{"from_s", 5.0}, {"to_s", 5.1}});
  REQUIRE(small.json.at("exact") == true);
  CHECK(numbers(small, "arc_sent").size() == Approx(333).margin(3));
  const auto sent = numbers(small, "arc_sent"), received = numbers(small, "arc_received");
  for (std::size_t i = 0; i < sent.size(); ++i) CHECK(received[i] > sent[i]);
  CHECK(sum(numbers(small, "arc_critical")) > 250);  // one exchange follows the other
  const auto large = ask(*live, "spacetime", Json::object());
  CHECK(large.json.at("exact") == false);
  CHECK_FALSE(numbers(large, "bin_work").empty());
  const double flows = sum(numbers(large, "flow_messages"));
  CHECK(flows == 40'000);

  const double id = numbers(small, "arc_id").at(200);
  const Json message = ask(*live, "message", {{"arc", id}}).json;
  CHECK(message.at("past").size() == SpaceTimeAnswers::kNeighboursMost);
  CHECK(message.at("future").size() == SpaceTimeAnswers::kNeighboursMost);
  CHECK(message.at("past_left_out").get<int>() > 0);
  CHECK(message.at("sent_s") == Approx(sent.at(200)));
  const Json event = ask(*live, "event_at", {{"process", 0}, {"at_s", 5.0}}).json;
  // From event to event, to the end and back.
  std::vector<double> times_s, back_s;
  const auto walk = [&](const char* direction, double at_s, std::vector<double>& passed) {
    for (;;) {
      const auto next = ask_and_wait(*live, {"event_at", {{"process", 0}, {"at_s", at_s}, {"direction", direction}}});
      if (!next) return next.error().what;
      passed.push_back(at_s = next->json.at("at_s").get<double>());
      if (passed.size() > 50) return std::string();
    }
  };
  walk("after", 4.9, times_s);
  REQUIRE(times_s.size() == 51);
  CHECK(std::adjacent_find(times_s.begin(), times_s.end(), std::greater_equal<>()) == times_s.end());
  walk("before", times_s.back(), back_s);
  std::reverse(times_s.begin(), times_s.end());
  CHECK(std::equal(times_s.begin() + 1, times_s.end(), back_s.begin()));
  CHECK(walk("after", 1e6, back_s) == "this process has no event after this moment");
  CHECK(event.at("at_s").get<double>() == Approx(5.0).margin(.001));
}

TEST_CASE("live: a trace that grows between two requests", "[live]") {
  const TemporaryFolder folder;
  const Talk talk(3000);
  Recorder recorder(folder / "trace", talk.info);
  const auto live = open(folder / "trace");
  live->read(kAll);
  CHECK(sum(numbers(ask(*live, "traffic"), "messages")) == 0);
  std::uint64_t version = ask(*live, "describe").json.at("version");
  const std::span<const Event> events = talk.events;
  for (const std::size_t part : {0u, 1u}) {
    recorder.write(events.subspan(part * 9000, 9000));
    live->read(kAll);
    CHECK(sum(numbers(ask(*live, "traffic"), "messages")) == 3000. * static_cast<double>(part + 1));
    const Json described = ask(*live, "describe").json;
    CHECK(described.at("state") == "recording");
    CHECK(described.at("version") > version);
    version = described.at("version");
  }
  recorder.end(events.size());
  live->read(kAll);
  CHECK(ask(*live, "describe").json.at("state") == "ended");
}

TEST_CASE("live: an answer says which version of the trace it is about, and whether a later one is on its way",
          "[live]") {
  const TemporaryFolder folder;
  const Talk talk(3000);
  Recorder recorder(folder / "trace", talk.info);
  const std::span<const Event> events = talk.events;
  const auto live = open(folder / "trace");
  const auto as_of = [&](const char* request) { return ask(*live, request).json.at("as_of"); };
  const auto analysed = [&](const char* request, const auto& is_wanted) {
    for (;;) {
      live->read(kAll);
      const Json answer = ask(*live, request).json;
      if (!answer.contains("computing") && is_wanted(answer.at("as_of"))) return answer.at("as_of");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  };
  recorder.write(events.subspan(0, 9000));
  const Json first = analysed("queues", [](const Json&) { return true; });
  CHECK(first.at("events") == 9000);
  CHECK(first.at("state") == "recording");
  CHECK(first.at("is_final") == false);
  CHECK_FALSE(first.contains("working"));
  recorder.write(events.subspan(9000));
  live->read(kAll);
  CHECK(as_of("describe").at("events") == 18'000);
  const Json older = as_of("queues");
  CHECK(older.at("events") == 9000);
  CHECK(older.at("to_s") < as_of("describe").at("to_s"));
  CHECK(older.contains("working"));
  recorder.end(events.size());
  for (const char* request : {"queues", "statistics", "placement", "predict", "overview", "describe"}) {
    INFO(request);
    const Json last = analysed(request, [](const Json& version) { return version.at("is_final").get<bool>(); });
    CHECK(last.at("events") == 18'000);
    CHECK(last.at("state") == "ended");
    CHECK_FALSE(last.contains("working"));
  }
}

TEST_CASE("live: a trace whose recorder was killed says so, and what to do", "[live]") {
  const TemporaryFolder folder;
  const Talk talk(3000);
  Recorder(folder / "trace", talk.info).write(talk.events);
  const auto live = open(folder / "trace");
  live->read(kAll);
  CHECK(ask(*live, "describe").json.at("state") == "cut off");
  const Json warnings = ask(*live, "overview").json.at("warnings");
  REQUIRE_FALSE(warnings.empty());
  CHECK(warnings.front().at("advice") != "");
}

TEST_CASE("live: any request for any trace has an answer or a sentence", "[live]") {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    INFO("seed " << seed);
    TraceInfo info = small_info(3, 6, 9);
    for (auto& process : info.processes) process.name = "\xff\xfe<script>\n" + std::string(100'000, 'x');
    const std::string path = folder / ("trace" + std::to_string(seed));
    write_trace(path, info, random_events(seed, 20'000, info));
    const auto live = open(path);
    live->read(kAll);
    for (const Json& window : {Json::object(), Json{{"from_s", -1e9}, {"to_s", 1e9}}, Json{{"from_s", 5}, {"to_s", 1}},
                               Json{{"from_s", 1e9}, {"width", 4096}}, Json{{"threads", true}, {"width", 1}}})
      for (const view::Request& request : view::kRequests) {
        if (request.may_be_computing || request.name == "message" || request.name == "event_at") continue;
        const std::string text = view::to_json(ask(*live, std::string(request.name), taken_by(request, window)));
        CHECK(Json::accept(text));
        CHECK(text.size() < 10'000'000);
      }
    const auto described = ask(*live, "describe");
    for (const auto& process : described.json.at("processes"))
      CHECK(process.at("name").get<std::string>().size() <= 4096);
  }
}

TEST_CASE("live: parameters that make no sense are refused with a sentence", "[live]") {
  const TemporaryFolder folder;
  const Talk talk(100);
  write_trace(folder / "trace", talk.info, talk.events);
  const auto live = open(folder / "trace");
  live->read(kAll);
  const std::vector<std::pair<std::string, Json>> kBad = {
      {"traffic", {{"from_s", "now"}}},
      {"traffic", {{"width", 0}}},
      {"traffic", {{"width", 1e9}}},
      {"series", {{"width", 10}}},
      {"series", {{"of", {{{"what", "sent"}, {"process", 99}}}}}},
      {"series", {{"of", {{{"what", "nothing"}}}}}},
      {"series", {{"of", {{{"what", "cpu"}, {"from", 0}, {"to", 1}}}}}},
      {"series", {{"of", Json::array({1, 2})}}},
      {"spacetime", {{"rows", {-1}}}},
      {"spacetime", {{"rows", {"client"}}}},
      {"message", {{"arc", 12345}}},
      {"event_at", {{"process", 7}}},
      {"event_at", {{"process", 0}, {"direction", "sideways"}}},
      {"series", {{"of", {{{"process", 0}}}}}},
      {"spacetime", {{"rows", 3}}},
      {"spacetime", {{"threads", "yes"}}},
      {"message", Json::object()},
      {"predict", {{"machines", {{"red", {{"speed", 0}}}}}}},
      {"no_such_request", Json::object()},
  };
  for (const auto& [name, params] : kBad) {
    INFO(name << " " << params.dump());
    CHECK_FALSE(refused(*live, name, params).empty());
  }
  const auto says = [&](const char* name, const Json& params, const char* sentence) {
    CHECK(refused(*live, name, params) == sentence);
  };
  says("overview", {{"widht", 3}}, "there is no 'widht' here (did you mean 'width'?)");
  says("overvew", Json::object(), "there is no request 'overvew' (did you mean 'overview'?)");
  says("traffic", {{"from_s", "now"}}, "'from_s' must be a number");
  says("overview", {{"width", 0}}, "'width' must be from 1 to 4096");
  says("event_at", Json::object(), "'process' is missing");
  says("event_at", {{"process", 9}}, "there is no process 9");
  says("event_at", {{"process", 0}, {"direction", 1}}, "'direction' must be \"before\" or \"after\"");
  says("predict", {{"machine_of", 1}}, R"('machine_of' must be an object: {"process": "machine"})");
  says("predict", {{"machines", {{"red", {{"cores", 0}}}}}}, "'machines.red.cores' must be from 1 to 65535");
  says("series", {{"of", {{{"what", "cpu"}, {"from", 0}, {"to", 1}}}}},
       "there is no series 'cpu' of a pair: only 'messages' and 'bytes'");
  Json many = Json::array();
  for (int i = 0; i < 33; ++i) many.push_back({{"what", "cpu"}});
  says("series", {{"of", many}}, "'of' can have at most 32 entries");
}

TEST_CASE("live: the journal of a scheduler is shown as it stands, and a damaged one is not", "[live]") {
  const TemporaryFolder folder;
  const Talk talk(100);
  write_trace(folder / "out/trace", talk.info, talk.events);
  const auto live = open(folder / "out");
  live->read(kAll);
  CHECK(ask(*live, "overview").json.at("schedule").is_null());
  const auto write = [&](const std::string& text) {
    std::ofstream(folder / "new") << text;
    std::filesystem::rename(folder / "new", folder / "out/schedule.json");
    live->read(kAll);
    return ask(*live, "overview").json.at("schedule");
  };
  const Json entry = {{"at_s", 2.5},
                      {"moves", {{{"process", "cl\xffient"}, {"from", "core0"}, {"to", 7}}, "nonsense"}},
                      {"predicted_gain", {{"expected", .5}, {"low", "x"}}},
                      {"measured_gain", .25},
                      {"outcome", "kept"}};
  Json document = {{"policy", "predicted"}, {"places", {"core0", "core1"}}, {"journal", {entry, 5}}};
  const Json shown = write(document.dump(-1, ' ', true, Json::error_handler_t::replace));
  CHECK(shown.at("policy") == "predicted");
  CHECK(shown.at("decisions") == 2);
  REQUIRE(shown.at("journal").size() == 1);
  const Json& decision = shown.at("journal").front();
  CHECK(decision.at("at_s") == 2.5);
  CHECK(decision.at("moves").size() == 1);
  CHECK(decision.at("predicted_gain").at("expected") == .5);
  CHECK(decision.at("predicted_gain").at("low").is_null());
  CHECK(decision.at("reason") == "");
  for (int i = 0; i < 300; ++i) document["journal"].push_back(entry);
  CHECK(write(document.dump(-1, ' ', true, Json::error_handler_t::replace)).at("journal").size() == 200);
  for (const char* damaged : {"{", "[]", "", "{\"journal\": 1}"}) {
    const Json read = write(damaged);
    CHECK((read.is_null() || read.at("journal").empty()));
  }
}

TEST_CASE("live: an index with too many places keeps every packet", "[live]") {
  PacketTimes index(8);
  MachineOffsets offsets;
  TraceInfo info;
  info.machines = {{"red", 1}};
  std::set<std::uint64_t> expected;
  for (std::uint64_t packet = 0; packet < 100; ++packet) {
    std::vector<Event> events(10);
    for (std::size_t i = 0; i < events.size(); ++i) {
      events[i].machine = MachineId{0};
      events[i].local_time = {static_cast<std::int64_t>(packet * 10 + i)};
      offsets.note(events[i], info);
    }
    index.add({0, packet * 1000, packet * 1000}, events);
  }
  CHECK(index.places() <= 8);
  const auto found = index.find({505}, {515}, offsets);
  CHECK(found.events < 1000);
  REQUIRE_FALSE(found.places.empty());
  CHECK(found.places.front().first <= 50'000);
  CHECK(found.places.back().last >= 51'000);
  CHECK(index.find({0}, {2000}, offsets).events == 1000);
  CHECK(index.find({2000}, {3000}, offsets).places.empty());
}
