#include "analysis/statistics/threads.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

Statistics statistics_of(const EventScript& script) {
  StatisticsAnalysis analysis;
  analysis.on_begin(script.info);
  analysis.on_events(script.events);
  analysis.on_end({});
  return analysis.result();
}

EventScript client_and_threaded_server() {
  EventScript script({"red", "green"});
  script.process("client", "green");
  script.process("server", "red");
  script.process("server/1", "red");
  script.at_ms("server/1", 7);
  for (const auto* thread : {"server", "server/1"}) {
    script.receive(thread, 3, script.send("client", 1, thread, 100));
    script.send(thread, 2, "client", 500);
  }
  script.receive("server/1", 1, script.send("server", 1, "server/1", 8));
  return script;
}

}  // namespace

TEST_CASE("threads: a process's numbers are the sums of its threads'", "[statistics]") {
  EventScript script = client_and_threaded_server();
  const Statistics apart = statistics_of(script);
  REQUIRE(apart.processes.size() == 3);
  CHECK(sum_threads(apart, script.info).processes.size() == 3);  // no thread belongs to a process

  script.info.processes[2].group = ProcessId{1};
  const Statistics together = sum_threads(apart, script.info);
  REQUIRE(together.processes.size() == 2);
  const ProcessStatistics& server = together.processes[1];
  CHECK(server.process == ProcessId{1});
  CHECK(server.cpu_ns == 12'000'000);
  CHECK(server.sent == 3);
  CHECK(server.sent_bytes == 1008);
  CHECK(server.received == 3);
  CHECK(server.events == 6);
  CHECK(server.events_by_type[static_cast<std::size_t>(EventType::receive)] == 3);
  CHECK(server.sent_local == 1);
  CHECK(server.sent_remote == 2);
  CHECK(server.last_time.ns == 7'000'000);
  CHECK(server.cpu_share + together.processes[0].cpu_share == Approx(1));
  REQUIRE(together.messages.size() == 3);
  CHECK(together.messages[0].to == ProcessId{1});
  CHECK(together.messages[0].sent == 2);
  CHECK(together.messages[0].received == 2);
  CHECK(together.messages[1].from == ProcessId{1});
  CHECK(together.messages[1].bytes() == 1000);
  CHECK(together.messages[1].remote == 2);
  CHECK(together.messages[2].from == together.messages[2].to);
}
