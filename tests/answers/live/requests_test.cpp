// Each request of the table is played on small traces: its answers have the fields and types of the table, and no others.
#include "view/answers/requests.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <thread>

#include "answers/live/live_trace.hpp"
#include "tests/answers/live/ask.hpp"
#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using namespace dpm::cli;
using namespace dpm::test;
using view::Field;
using view::Json;

namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

bool is_array_type(std::string_view type) { return type == "f64" || type == "f32" || type == "u32" || type == "u8"; }

std::string_view type_of(const view::AnswerArray& array) {
  constexpr std::string_view kTypes[] = {"f64", "f32", "u32", "u8"};
  return kTypes[array.values.index()];
}

// Members of structures that some answer had, as "Structure.member".
using Seen = std::set<std::string>;

void note(std::string_view type, const Json& value, Seen& seen);

void note_members(const view::Structure& structure, const Json& value, Seen& seen) {
  for (const Field& field : structure.fields) {
    const std::string name(view::bare_name(field));
    if (!value.contains(name)) continue;
    seen.insert(std::string(structure.name) + "." + name);
    note(field.type, value.at(name), seen);
  }
}

// `value` has this type.
void note(std::string_view type, const Json& value, Seen& seen) {
  for (std::string_view one : view::alternatives_of(type)) {
    if (view::misfit(Field{"", one}, one, value, "")) continue;
    if (const auto* structure = view::find_structure(one)) return note_members(*structure, value, seen);
    if (one.ends_with("[]")) {
      one.remove_suffix(2);
      if (one.starts_with('(')) one = one.substr(1, one.size() - 2);
      for (const Json& entry : value) note(one, entry, seen);
    } else if (one.starts_with("Record<string, ")) {
      for (const Json& member : value) note(one.substr(15, one.size() - 16), member, seen);
    }
    return;
  }
}

// Why an answer is not this structure: first its arrays, by name and type, then the JSON as it travels.
std::string why_not(const view::Structure& structure, const view::Answer& answer, Seen& seen) {
  std::vector<Field> in_json;
  std::map<std::string, std::string_view> arrays;
  for (const auto& array : answer.arrays) arrays[array.name] = type_of(array);
  for (const Field& field : structure.fields) {
    const std::string name(view::bare_name(field));
    if (!is_array_type(field.type)) {
      in_json.push_back(field);
      continue;
    }
    const std::string first = name.ends_with('#') ? name.substr(0, name.size() - 1) + "0" : name;
    const auto found = arrays.find(first);
    if (found == arrays.end() && !view::may_be_missing(field)) return "the array '" + first + "' is missing";
    if (found == arrays.end()) continue;
    if (found->second != field.type) return "the array '" + first + "' is of " + std::string(found->second);
    seen.insert(std::string(structure.name) + "." + name);
    for (std::size_t i = 1; name.ends_with('#') && arrays.erase(name.substr(0, name.size() - 1) + std::to_string(i));)
      ++i;
    arrays.erase(first);
  }
  if (!arrays.empty()) return "the table does not have the array '" + arrays.begin()->first + "'";
  const Json json = Json::parse(answer.json.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (auto why = view::misfit(in_json, json, "")) return *why;
  for (const Field& field : in_json) {
    const std::string name(view::bare_name(field));
    if (!json.contains(name)) continue;
    seen.insert(std::string(structure.name) + "." + name);
    note(field.type, json.at(name), seen);
  }
  return "";
}

void check_answer(const view::Request& request, const view::Answer& stamped, Seen& seen) {
  std::string why;
  view::Answer answer = stamped;
  const Json stamp = {{"as_of", answer.json.value("as_of", Json())}};
  INFO(request.name << " is stamped " << stamp.dump());
  REQUIRE_FALSE(view::misfit(view::table::kStamped, stamp, "").has_value());
  note_members(*view::find_structure("Stamped"), stamp, seen);
  answer.json.erase("as_of");
  auto types = view::alternatives_of(request.answer);
  if (request.may_be_computing && answer.json.contains("computing")) types = {"Computing"};
  for (const std::string_view type : types) {
    const auto* structure = view::find_structure(type);
    REQUIRE(structure != nullptr);
    const std::string reason = why_not(*structure, answer, seen);
    if (reason.empty()) return;
    why += std::string(type) + ": " + reason + "\n";
  }
  INFO(request.name << " answers " << answer.json.dump().substr(0, 2000));
  INFO(why);
  FAIL("the answer is not what view/answers/request_table.hpp says");
}

// Users, who are not of the computation, ask one server, which asks another on a second machine.
struct System {
  TraceInfo info = small_info(2, 3, 3);
  std::vector<Event> events;
  std::int64_t now_ns = 0;
  std::vector<std::uint64_t> cpu_ns = std::vector<std::uint64_t>(3);

  explicit System(int requests, bool scripted) {
    info.properties.scripted = scripted;
    info.processes[0].in_computation = false;
    for (std::uint32_t p = 0; p < 3; ++p) {
      info.processes[p].machine = MachineId{static_cast<std::uint16_t>(p / 2)};
      info.channels[p] = {ProcessId{p}, "", ChannelKind::numbered};
      if (!scripted) info.processes[p].pid = 100 + static_cast<std::int32_t>(p);
    }
    for (int number = 0; number < requests; ++number) {
      say(0, 1, static_cast<std::uint64_t>(number));
      say(1, 2, static_cast<std::uint64_t>(number));
      say(2, 1, static_cast<std::uint64_t>(number));
      say(1, 0, 1'000'000 + static_cast<std::uint64_t>(number));
      for (const EventType type : {EventType::value, EventType::point}) add(type, 1, kNoOne, 0);
      if (!scripted) add(EventType::wait, 1, 2, 50'000);
      if (!scripted) summarise();
    }
  }

  // Of the machine of process 0, which is outside the computation, as the meter is.
  void summarise() {
    for (const MachineQuantityKind& kind : kMachineQuantities) {
      add(EventType::summary, 0, kNoOne, 1'000);
      events.back().code = static_cast<std::uint32_t>(kind.quantity);
      events.back().length_bytes = 1;  // milliseconds that it covers
    }
  }

  static constexpr std::uint32_t kNoOne = ~0u;

  void say(std::uint32_t from, std::uint32_t to, std::uint64_t number) {
    add(EventType::send, from, to, number);
    if (info.properties.scripted) add(EventType::message_queued, to, from, number);
    add(EventType::receive_call, to, to, 0);
    add(EventType::receive, to, from, number);
  }

  void add(EventType type, std::uint32_t process, std::uint32_t peer, std::uint64_t number) {
    now_ns += 100'000;
    cpu_ns[process] += 30'000;
    Event event;
    event.type = type;
    event.process = ProcessId{process};
    event.machine = info.processes[process].machine;
    event.sequence = number;
    event.code = type == EventType::point ? 1 : 0;
    event.local_time = {now_ns};
    event.proc_time_ns = cpu_ns[process];
    event.ready_time_ns = event.disk_time_ns = cpu_ns[process] / 8;
    event.load = 3;  // of others, too
    if (type == EventType::wait) event.code = static_cast<std::uint32_t>(WaitKind::futex);
    if (peer != kNoOne) {
      event.peer = ProcessId{peer};
      event.channel = ChannelId{type == EventType::send ? peer : process};
      event.length_bytes = 100;
    }
    events.push_back(event);
  }
};

// The trace as a whole, with events that were lost; or as far as it is written by a recorder that still runs.
class WrittenSystem {
 public:
  WrittenSystem(const std::string& path, const System& system, bool has_ended)
      : rules_{RuleSet::keep_all(event_layouts())},
        writer_(TraceWriter::create(path, describe_events({"filter"}, rules_)).value()),
        filter_(rules_, *writer_) {
    filter_.on_begin(system.info);
    filter_.on_events(system.events);
    const std::uint64_t seen = system.events.size();
    if (has_ended)
      filter_.on_end({.seen = seen + 5, .losses = {{"a buffer was full", 5}}, .warnings = {}});
    else
      writer_->flush();
  }

 private:
  std::vector<RuleSet> rules_;
  std::unique_ptr<TraceWriter> writer_;
  EventFilter filter_;
};

// What each request is asked with; the others take nothing.
std::vector<Json> parameters_of(const std::string& name, double arc) {
  static const std::map<std::string, std::vector<Json>> kOthers = {
      {"overview", {Json::object(), {{"width", 3}, {"threads", true}}}},
      {"series",
       {{{"of", {{{"what", "cpu"}}, {{"what", "sent"}, {"process", 1}}, {{"what", "bytes"}, {"from", 0}, {"to", 1}}}}},
        {{"of", Json::array({{{"what", "load"}, {"machine", 0}}})}}}},
      {"spacetime", {Json::object(), {{"from_s", .01}, {"to_s", .02}, {"rows", {0, 1}}}}},
      {"event_at", {{{"process", 1}, {"at_s", .01}, {"direction", "after"}}}},
      {"blame", {Json::object(), {{"of", 1}}}},
      {"predict",
       {{{"machine_of", {{"p1", "m1"}}}, {"machines", {{"m1", {{"speed", 2}, {"cores", 2}}}}}},
        {{"delay_factor", 2}, {"interval", true}}}}};
  if (name == "message") return {{{"arc", arc}}};
  const auto found = kOthers.find(name);
  return found == kOthers.end() ? std::vector<Json>{Json::object()} : found->second;
}

double first_arc(LiveTrace& live) {
  const auto answer = ask_and_wait(live, {"spacetime", {{"from_s", 0}, {"to_s", .02}}}).value();
  for (const auto& array : answer.arrays)
    if (array.name == "arc_id") return std::get<std::vector<double>>(array.values).at(0);
  return 0;
}

Result<view::Answer> computed(LiveTrace& live, const view::PageRequest& request, Seen& seen) {
  for (;;) {
    auto answer = ask_and_wait(live, request);
    if (!answer || !answer->json.contains("computing")) return answer;
    check_answer(*std::ranges::find(view::kRequests, request.name, &view::Request::name), *answer, seen);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Asks everything that the trace has an answer to.
void ask_all(LiveTrace& live, Seen& seen, std::set<std::string>& answered) {
  for (const view::Request& request : view::kRequests) {
    const std::string name(request.name);
    for (const Json& params : parameters_of(name, name == "message" ? first_arc(live) : 0)) {
      const auto answer = computed(live, {name, params}, seen);
      if (!answer) continue;
      answered.insert(name);
      check_answer(request, *answer, seen);
      for (const Field& parameter : request.parameters)
        if (const std::string given(view::bare_name(parameter)); params.contains(given))
          note(parameter.type, params.at(given), seen);
    }
  }
}

// Before the whole trace is analysed, and when it has been and a search has ended.
void play(const std::string& path, Seen& seen, std::set<std::string>& answered) {
  const auto live = LiveTrace::open(path).value();
  live->read(kAll);
  ask_all(*live, seen, answered);
  if (ask_and_wait(*live, {"search", {}}))
    while (computed(*live, {"placement", {}}, seen)->json.at("best").is_null())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ask_all(*live, seen, answered);
}

void write_schedule(const std::string& path) {
  std::ofstream(path) << R"({"policy": "predicted", "places": ["core0"], "journal": [{"at_s": 1, "moves": [
    {"process": "p1", "from": "core0", "to": "core1"}], "predicted_gain": {"expected": 0.5, "low": 0.1}}]})";
}

}  // namespace

TEST_CASE("requests: the answers of each have the fields and types of the table, all of them", "[live]") {
  const TemporaryFolder folder;
  const System simulated(3000, true), metered(50, false);
  System running(50, false), unpredictable(1, false);
  running.info.processes.front().pid = static_cast<std::int32_t>(::getpid());  // it is seen to run
  for (ProcessInfo& process : unpredictable.info.processes) process.in_computation = false;
  const WrittenSystem ended(folder / "simulated/trace", simulated, true), with_waits(folder / "metered", metered, true),
      still_running(folder / "running", running, false), of_others(folder / "unpredictable", unpredictable, true);
  write_schedule(folder / "simulated/schedule.json");
  Seen seen;
  std::set<std::string> answered;
  for (const char* trace : {"simulated", "metered", "running", "unpredictable"}) {
    INFO(trace);
    play(folder / trace, seen, answered);
  }
  for (const view::Request& request : view::kRequests) {
    INFO(request.name);
    CHECK(answered.contains(std::string(request.name)));
  }
  // A search may have ended before it is asked for, and only traces that were recorded with --window have removed events.
  seen.insert({"Placement.searching", "Ledger.removed"});
  std::string never;
  for (const view::Structure& structure : view::kStructures)
    for (const Field& field : structure.fields)
      if (!seen.contains(std::string(structure.name) + "." + std::string(view::bare_name(field))))
        never += std::string(structure.name) + "." + std::string(view::bare_name(field)) + "\n";
  INFO("in the table, and in no answer:\n" << never);
  CHECK(never.empty());
}
