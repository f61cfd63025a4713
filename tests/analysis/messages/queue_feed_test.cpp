// Queues of live programs: arrivals inferred from SENDs, and one queue for all threads of a process.
#include "analysis/messages/queue_feed.hpp"

#include <algorithm>
#include <cstdlib>

#include "analysis/queues/queues.hpp"
#include "model/random.hpp"
#include "tests/analysis/messages/live_script.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

Queues queues_of(const Recording& resolved, bool by_thread = false) {
  QueueAnalysis analysis;
  QueueFeed feed(analysis, by_thread);
  REQUIRE(MemorySource(resolved).run(feed));
  return analysis.result();
}

const QueueStatistics& queue_of(const Queues& queues, ProcessId process) {
  for (const auto& queue : queues.processes)
    if (queue.process == process) return queue;
  FAIL("process " << process.value << " has no queue");
  std::abort();
}

}  // namespace

TEST_CASE("queue feed: a message waits from its SEND to its RECEIVE", "[messages]") {
  LiveScript script;  // a millisecond an event
  const auto a = script.process("a"), r = script.process("r");
  const auto pipe = script.stream("pipe 1");
  script.receive_call(r, 0);       // 1 ms: empty until 2
  script.send(a, pipe, 0, 10);     // 2: one waits
  script.send(a, pipe, 10, 10);    // 3: two
  script.receive(r, pipe, 0, 10);  // 4: one
  script.send(a, pipe, 20, 10);    // 5: two
  script.receive(r, pipe, 10, 5);  // 6: one; the rest of the second is not a message
  script.receive(r, pipe, 15, 5);  // 7
  script.receive_call(r, 0);       // 8
  const Queues queues = queues_of(script.resolved());
  REQUIRE(queues.processes.size() == 1);
  const QueueStatistics& queue = queue_of(queues, r);
  CHECK(queue.measured);
  CHECK(queue.queued == 3);
  CHECK(queue.received == 2);
  CHECK(queue.still_queued == 1);
  CHECK(queue.length_max == 2);
  CHECK(queue.waits.min_ns() == 2'000'000);
  CHECK(queue.waits.max_ns() == 3'000'000);
  CHECK(queue.observed.ns == 7'000'000);
  CHECK(queue.length_mean == Approx((0 + 1 + 2 + 1 + 2 + 1 + 1) / 7.0));
}

TEST_CASE("queue feed: what a thread hands over arrives with its SEND, although it is numbered", "[messages]") {
  LiveScript script;  // a millisecond an event
  const auto giver = script.process("p"), taker = script.process("p/1", giver);
  const ChannelId memory{0};
  script.recording.info.channels.push_back({taker, "memory of thread 2"});
  script.recording.info.channels.back().medium = ChannelMedium::memory;
  script.receive_call(taker, 0);     // 1 ms
  script.send(giver, memory, 1, 0);  // 2
  script.recording.events.back().peer = taker;
  script.receive(taker, memory, 1, 0);  // 3
  script.recording.events.back().peer = giver;
  const Queues queues = queues_of(script.resolved(), true);
  const QueueStatistics& queue = queue_of(queues, taker);
  CHECK(queue.queued == 1);
  CHECK(queue.received == 1);
  CHECK(queue.waits.max_ns() == 1'000'000);
}

TEST_CASE("queue feed: what a receiver did while a message waited is that of its own thread", "[messages]") {
  LiveScript script;  // a millisecond an event, in which the process runs
  const auto a = script.process("a"), server = script.process("server"), thread = script.process("server/1", server);
  const auto pipe = script.stream("pipe 1");
  std::uint64_t ready_ns = 0;
  const auto ready = [&](ProcessId process, std::uint64_t more_ns) {
    Event& last = script.recording.events.back();
    REQUIRE(last.process == process);
    last.ready_time_ns = ready_ns += more_ns;
    last.disk_time_ns = 0;
  };
  script.receive_call(thread, 0);  // 1 ms
  ready(thread, 0);
  script.send(a, pipe, 0, 10);          // 2
  script.receive_call(server, 0);       // 3
  script.receive_call(server, 0);       // 4
  script.receive(thread, pipe, 0, 10);  // 5: it waited for 3 ms; its thread was ready for 1.5 of them, and ran for 1
  ready(thread, 1'500'000);
  const Queues queues = queues_of(script.resolved());
  REQUIRE(queues.processes.size() == 1);
  REQUIRE(queues.processes[0].meanwhile.has_value());
  CHECK(*queues.processes[0].meanwhile == WaitParts{.cpu_ns = 1'500'000, .ran_ns = 1'000'000, .other_ns = 500'000});
}

TEST_CASE("queue feed: threads share their process's queue, unless asked apart", "[messages]") {
  LiveScript script;
  const auto a = script.process("a"), server = script.process("server"), thread = script.process("server/1", server);
  const auto pipe = script.stream("pipe 1");
  script.send(a, pipe, 0, 10);
  script.send(a, pipe, 10, 10);
  script.receive(thread, pipe, 0, 10);
  script.receive(server, pipe, 10, 10);
  const Recording resolved = script.resolved();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Queues together = queues_of(reordered_between_processes(resolved, seed));
    REQUIRE(together.processes.size() == 1);
    CHECK(queue_of(together, server).length_max == 2);
    CHECK(queue_of(together, server).waits.count() == 2);
    const Queues apart = queues_of(reordered_between_processes(resolved, seed), true);
    CHECK(queue_of(apart, server).length_max == 1);
    CHECK(queue_of(apart, thread).length_max == 1);
  }
}

TEST_CASE("queue feed: the arrival of a message from outside or from another machine is not known", "[messages]") {
  LiveScript script;
  const auto a = script.process("a"), r = script.process("r");
  const auto outside = script.stream("tcp 10.0.0.1:1 > 10.0.0.2:2"), inside = script.stream("tcp a:1 > b:2");
  script.receive(r, outside, 0, 10);
  script.send(a, inside, 0, 10);
  script.receive(r, inside, 0, 10);
  script.recording.info.machines.push_back({"there", 1});
  for (auto& event : script.recording.events)
    if (event.process == a) event.machine = MachineId{1};
  const Queues queues = queues_of(script.resolved());
  CHECK_FALSE(queue_of(queues, r).measured);
  CHECK(queue_of(queues, r).received == 2);
}

TEST_CASE("queue feed: a clock that was set back makes no message wait before it came", "[messages]") {
  LiveScript script;
  const auto a = script.process("a"), r = script.process("r");
  const auto pipe = script.stream("pipe 1");
  script.send(a, pipe, 0, 10);
  script.receive(r, pipe, 0, 10);
  script.recording.events[1].local_time.ns = 5;
  const Queues queues = queues_of(script.resolved());
  CHECK(queue_of(queues, r).waits.max_ns() == 0);
  CHECK(queue_of(queues, r).still_queued == 0);
}

TEST_CASE("queue feed: lengths are what counting at every instant gives", "[messages]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    LiveScript script;
    const auto server = script.process("server");
    const ProcessId threads[] = {server, script.process("server/1", server), script.process("server/2", server)};
    const ProcessId clients[] = {script.process("a"), script.process("b")};
    const auto pipe = script.stream("pipe 1");
    std::uint64_t sent = 0, received = 0;
    std::vector<std::uint64_t> length_at = {0};  // after each event
    script.receive_call(server, 0);
    while (length_at.size() < 200) {
      if (random.chance(.5)) {
        script.send(clients[random.below(2)], pipe, sent++, 1);
      } else if (received < sent) {
        script.receive(threads[random.below(3)], pipe, received++, 1);
      } else {
        continue;
      }
      length_at.push_back(sent - received);
    }
    script.receive_call(server, 0);
    std::uint64_t sum = 0;
    for (const auto length : length_at) sum += length;
    const Queues queues = queues_of(reordered_between_processes(script.resolved(), seed));
    const QueueStatistics& queue = queue_of(queues, server);
    INFO("seed " << seed);
    CHECK(queue.length_max == *std::max_element(length_at.begin(), length_at.end()));
    CHECK(queue.length_mean == Approx(static_cast<double>(sum) / static_cast<double>(length_at.size())));
    CHECK(queue.still_queued == sent - received);
  }
}

TEST_CASE("queue feed: a simulation's events pass through as they are", "[messages]") {
  const Recording recording = client_and_server(10);
  RecordingSink sink;
  QueueFeed feed(sink);
  REQUIRE(MemorySource(recording).run(feed));
  CHECK(shown(sink.recording()) == shown(recording));
}
