// What a report file holds is what a server answers about the same trace.
#include "answers/live/file_data.hpp"

#include <deque>

#include "answers/live/live_trace.hpp"
#include "model/random.hpp"
#include "tests/answers/live/ask.hpp"
#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using namespace dpm::cli;
using namespace dpm::test;
using view::Json;

namespace {

// Questions and answers of three processes at random moments, two of them on one machine.
struct Conversation {
  TraceInfo info = small_info(2, 3, 3);
  std::vector<Event> events;

  explicit Conversation(std::uint64_t seed) {
    info.properties.scripted = true;
    for (std::uint32_t p = 0; p < 3; ++p) {
      info.processes[p].machine = MachineId{static_cast<std::uint16_t>(p / 2)};
      info.processes[p].in_computation = true;
      info.channels[p] = {ProcessId{p}, "", ChannelKind::numbered};
    }
    Random random(seed);
    std::int64_t now_ns = 0;
    std::vector<std::uint64_t> cpu_ns(3), sent(3);
    const auto add = [&](EventType type, std::uint32_t process, std::uint32_t peer, std::uint64_t number) {
      now_ns += 1'000 + static_cast<std::int64_t>(random.below(400'000));
      cpu_ns[process] += random.below(1'000);
      Event event;
      event.type = type;
      event.process = ProcessId{process};
      event.peer = ProcessId{peer};
      event.machine = info.processes[process].machine;
      event.channel = ChannelId{type == EventType::send ? peer : process};
      event.sequence = number;
      event.length_bytes = static_cast<std::uint32_t>(1 + random.below(1000));
      event.local_time = {now_ns};
      event.proc_time_ns = cpu_ns[process];
      events.push_back(event);
    };
    struct Message {
      std::uint32_t from, to;
      std::uint64_t number;
    };
    std::deque<Message> under_way;
    for (int message = 0; message < 9000; ++message) {
      const auto from = static_cast<std::uint32_t>(random.below(3));
      const auto to = (from + 1 + static_cast<std::uint32_t>(random.below(2))) % 3;
      add(EventType::send, from, to, ++sent[from]);
      under_way.push_back({from, to, sent[from]});
      while (under_way.size() > random.below(9)) {
        const Message next = under_way.front();
        under_way.pop_front();
        add(EventType::receive_call, next.to, next.to, 0);
        add(EventType::receive, next.to, next.from, next.number);
      }
    }
  }
};

Json json_of(LiveTrace& live, const std::string& name, const Json& params) {
  return Json::parse(view::to_json(ask_and_wait(live, {name, params}).value()));
}

}  // namespace

TEST_CASE("file data: the same as a server answers, and the same each time", "[live]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    INFO("seed " << seed);
    const TemporaryFolder folder;
    const Conversation talk(seed);
    write_trace(folder / "trace", talk.info, talk.events);
    const Json data = file_data(folder / "trace");
    CHECK(data == file_data(folder / "trace"));
    const auto live = LiveTrace::open(folder / "trace").value();
    while (live->read(1'000'000)) {
    }
    while (ask_and_wait(*live, {"statistics", {}}).value().json.contains("computing")) {
    }
    // A file says once what all its answers are of.
    const auto answer_of = [&](const char* name, const Json& params) {
      Json answer = json_of(*live, name, params);
      CHECK(answer.at("as_of") == data.at("as_of"));
      answer.erase("as_of");
      return answer;
    };
    CHECK(data.at("levels") == answer_of("levels", {{"width", 400}}));
    CHECK(data.at("answers").at("queues") == answer_of("queues", Json::object()));
    CHECK(data.at("answers").at("placement") == answer_of("placement", Json::object()));
    const Json &overview = data.at("answers").at("overview"), answered = json_of(*live, "overview", {{"width", 400}});
    for (const char* name : {"P_run", "P_best", "cpu_s", "messages", "bytes", "ledger", "warnings", "P_of"})
      CHECK(overview.at(name) == answered.at(name));
    const Json& drawn = data.at("spacetime");
    const Json window = {{"from_s", drawn.at("from_s")}, {"to_s", drawn.at("to_s")}};
    CHECK(drawn.at("arc_from").size() > 1000);
    const Json served = json_of(*live, "spacetime", window);
    for (const char* name : {"exact", "rows", "arc_from", "arc_to", "arc_sent", "arc_received", "arc_bytes"})
      CHECK(drawn.at(name) == served.at(name));
    CHECK(data.at("answers").at("describe").at("state") == "ended");
  }
}

TEST_CASE("file data: a trace without events has none", "[live]") {
  const TemporaryFolder folder;
  write_trace(folder / "trace", small_info(1, 2, 2), {});
  CHECK(file_data(folder / "trace").is_null());
  CHECK(file_data(folder / "nowhere").is_null());
}
