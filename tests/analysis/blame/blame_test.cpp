// The division of elapsed time: by hand, against a walk through every nanosecond, and on simulated systems.
#include "analysis/blame/blame.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/blame/blame_causes.hpp"
#include "model/random.hpp"
#include "tests/backends/sim/sim_fixture.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

using testing::milliseconds;

// Each has a machine of its own.
TraceInfo processes(std::uint32_t count) {
  TraceInfo info;
  for (std::uint32_t p = 0; p < count; ++p) {
    const std::string name(1, static_cast<char>('A' + static_cast<char>(p)));
    info.machines.push_back({"machine of " + name});
    info.processes.push_back({name, "", MachineId{static_cast<std::uint16_t>(p)}});
  }
  return info;
}

struct Trace {
  std::vector<Event> events;
  std::vector<std::int64_t> times_ns;

  Event& add(std::uint32_t process, std::int64_t time_ns, EventType type, std::uint64_t cpu_ns,
             std::uint64_t ready_ns) {
    Event event;
    event.process.value = process;
    event.machine = MachineId{static_cast<std::uint16_t>(process)};
    event.type = type;
    event.proc_time_ns = cpu_ns;
    event.ready_time_ns = ready_ns;
    event.disk_time_ns = 0;
    events.push_back(event);
    times_ns.push_back(time_ns);
    return events.back();
  }
  void message(EventType type, std::uint32_t process, std::uint32_t peer, std::uint64_t number, std::int64_t time_ns,
               std::uint64_t cpu_ns, std::uint64_t ready_ns) {
    Event& event = add(process, time_ns, type, cpu_ns, ready_ns);
    event.peer.value = peer;
    event.channel.value = type == EventType::send ? peer : process;
    event.sequence = number;
  }
};

// ---- the slow way: one nanosecond after the other, one chain of processes for each

using Path = std::vector<std::uint32_t>;                             // processes, and the part at the end
using Amounts = std::map<std::pair<Path, BlamePart>, std::int64_t>;  // nanoseconds

class Walk {
 public:
  Walk(const Trace& trace, std::uint32_t process_count) : trace_(trace), own_(process_count) {
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) own_[trace.events[i].process.value].push_back(i);
  }

  void step(Path path, std::int64_t at_ns, Amounts& amounts) const {
    const auto& own = own_[path.back()];
    const auto put = [&](BlamePart part) { ++amounts[{path, part}]; };
    if (own.empty() || at_ns < time(own.front()) || at_ns >= time(own.back())) return put(BlamePart::not_seen);
    std::size_t i = 1;
    while (time(own[i]) <= at_ns) ++i;
    const Event &before = trace_.events[own[i - 1]], &after = trace_.events[own[i]];
    const std::int64_t from = time(own[i - 1]), to = time(own[i]);
    const auto cpu = static_cast<std::int64_t>(after.proc_time_ns - before.proc_time_ns);
    const auto ready = static_cast<std::int64_t>(after.ready_time_ns - before.ready_time_ns);
    const std::int64_t idle = to - from - cpu - ready;
    // One that wakes up in poll() asks only then.
    const bool asks_next = after.type == EventType::receive_call && i + 1 < own.size();
    const Event& receive = asks_next ? trace_.events[own[i + 1]] : after;
    const auto [sent, sender] = sending_of(receive);
    std::int64_t idle_from = from;
    const bool is_answered = before.type == EventType::receive_call && !asks_next;
    const bool waits = receive.type == EventType::receive && (is_answered || sent > from);
    if (waits && !is_answered) idle_from = std::min(std::max(sent, from + idle), to) - idle;
    if (at_ns >= idle_from && at_ns < idle_from + idle) {
      if (!waits) return put(BlamePart::other);
      const bool is_circle = std::find(path.begin(), path.end(), sender) != path.end();
      path.push_back(sender);
      if (at_ns >= sent) return put(BlamePart::on_its_way);
      if (is_circle) return put(BlamePart::not_followed);
      return step(path, at_ns, amounts);
    }
    const std::int64_t busy = cpu + ready, number = at_ns - from - (at_ns >= idle_from ? idle : 0);
    const bool queues = ready * (number + 1) / busy > ready * number / busy;
    put(queues ? BlamePart::cpu_queue : BlamePart::cpu);
  }

 private:
  std::int64_t time(std::uint32_t event) const { return trace_.times_ns[event]; }
  std::pair<std::int64_t, std::uint32_t> sending_of(const Event& receive) const {
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      const Event& send = trace_.events[i];
      if (send.type == EventType::send && send.process == receive.peer && send.channel == receive.channel &&
          send.sequence == receive.sequence)
        return {trace_.times_ns[i], send.process.value};
    }
    return {0, 0};
  }

  const Trace& trace_;
  std::vector<std::vector<std::uint32_t>> own_;
};

void flatten(const BlameNode& node, Path path, Amounts& amounts) {
  path.push_back(node.process.value);
  for (std::size_t part = 0; part < kBlameParts; ++part)
    if (node.parts_ns[part] != 0) amounts[{path, static_cast<BlamePart>(part)}] += node.parts_ns[part];
  for (const BlameNode& child : node.waits) flatten(child, path, amounts);
}

// Processes that send to each other whatever they like, and receive what has been sent, also if it was sent "later" by
// a wrong clock.
Trace random_trace(std::uint64_t seed, std::uint32_t process_count) {
  Random random(seed);
  Trace trace;
  struct Sent {
    std::uint32_t from, to;
    std::uint64_t number;
  };
  std::vector<Sent> under_way;
  std::vector<std::int64_t> now(process_count, 0);
  std::vector<std::uint64_t> cpu(process_count, 0), ready(process_count, 0), sent(process_count, 0);
  for (int step = 0; step < 60; ++step) {
    const auto p = static_cast<std::uint32_t>(random.below(process_count));
    const auto passes = [&] {
      const auto elapsed = random.below(30), used = random.below(elapsed + 1),
                 waited = random.below(elapsed - used + 1);
      now[p] += static_cast<std::int64_t>(elapsed);
      cpu[p] += used;
      ready[p] += waited;
    };
    passes();
    const auto mine = std::find_if(under_way.begin(), under_way.end(), [p](const Sent& s) { return s.to == p; });
    if (mine != under_way.end() && random.chance(.6)) {
      if (random.chance(.5)) {
        trace.add(p, now[p], EventType::receive_call, cpu[p], ready[p]);
        passes();
      }
      trace.message(EventType::receive, p, mine->from, mine->number, now[p], cpu[p], ready[p]);
      under_way.erase(mine);
    } else {
      const auto to = static_cast<std::uint32_t>((p + 1 + random.below(process_count - 1)) % process_count);
      trace.message(EventType::send, p, to, ++sent[p], now[p], cpu[p], ready[p]);
      under_way.push_back({p, to, sent[p]});
    }
  }
  return trace;
}

double share(std::int64_t part_ns, const BlameNode& root) {
  return static_cast<double>(part_ns) / static_cast<double>(root.total_ns());
}

const BlameNode& wait_for(const BlameNode& node, const std::string& name, const TraceInfo& info) {
  for (const BlameNode& child : node.waits)
    if (info[child.process].name == name) return child;
  throw std::runtime_error("no wait for " + name);
}

}  // namespace

TEST_CASE("blame: a client's wait is what the server did, and the rest of it the way of the message", "[blame]") {
  Trace trace;
  trace.message(EventType::send, 0, 1, 1, 100, 100, 0);
  trace.add(0, 100, EventType::receive_call, 100, 0);
  trace.add(1, 0, EventType::receive_call, 0, 0);
  trace.message(EventType::receive, 1, 0, 1, 120, 0, 0);
  trace.message(EventType::send, 1, 0, 1, 1070, 500, 450);
  trace.message(EventType::receive, 0, 1, 1, 1100, 100, 0);
  const TraceInfo info = processes(2);
  const BlameAnalysis blame(trace.events, trace.times_ns, info);
  CHECK(blame.requests(ProcessId{0}) == 1);
  CHECK_FALSE(blame.request(ProcessId{0}, 2));
  const BlameNode root = blame.divide(ProcessId{0}, blame.request(ProcessId{0}, 1).value());
  CHECK(root.total_ns() == 1000);
  const BlameNode& server = wait_for(root, "B", info);
  CHECK(server.of(BlamePart::cpu) == 500);
  CHECK(server.of(BlamePart::cpu_queue) == 450);
  // 30 of the answer; and what the server waited for was the request, on its way for 20.
  CHECK(server.of(BlamePart::on_its_way) == 30);
  CHECK(wait_for(server, "A", info).of(BlamePart::on_its_way) == 20);
  CHECK(blame.is_measured(ProcessId{0}));
}

TEST_CASE("blame: a process that asked, got nothing and slept in poll() waited for the message that came", "[blame]") {
  Trace trace;
  trace.message(EventType::send, 0, 1, 1, 0, 0, 0);
  trace.add(0, 10, EventType::receive_call, 10, 0);
  trace.message(EventType::receive, 1, 0, 1, 20, 0, 0);
  trace.message(EventType::send, 1, 0, 1, 920, 900, 0);
  trace.add(0, 990, EventType::receive_call, 20, 0);
  trace.message(EventType::receive, 0, 1, 1, 1000, 30, 0);
  const TraceInfo info = processes(2);
  const BlameNode root = BlameAnalysis(trace.events, trace.times_ns, info).divide(ProcessId{0}, {0, 1000});
  CHECK(root.of(BlamePart::other) == 0);
  CHECK(root.of(BlamePart::cpu) == 30);
  CHECK(wait_for(root, "B", info).of(BlamePart::cpu) == 900);
}

TEST_CASE("blame: a server that was idle until a connection came waited for the one that made it", "[blame]") {
  // B sleeps till 4000 and connects; A, which has a lock of 500 to wait for, answers at 4600. C comes while A is busy.
  Trace trace;
  trace.add(0, 0, EventType::socket, 0, 0);
  trace.add(1, 0, EventType::socket, 0, 0);
  trace.add(1, 4000, EventType::connect, 0, 0).peer = ProcessId{0};
  trace.message(EventType::send, 1, 0, 1, 4000, 0, 0);
  trace.add(2, 4300, EventType::connect, 0, 0).peer = ProcessId{0};
  trace.add(0, 4010, EventType::accept, 0, 0).peer = ProcessId{1};
  trace.message(EventType::receive, 0, 1, 1, 4100, 90, 0);
  trace.message(EventType::send, 0, 1, 1, 4600, 90, 0);
  trace.add(0, 4610, EventType::accept, 100, 0).peer = ProcessId{2};
  trace.message(EventType::receive, 1, 0, 1, 4600, 0, 0);
  TraceInfo info = processes(3);
  info.wait_causes = {{ProcessId{0}, WaitReason::lock, {}, "", 500}};
  const BlameAnalysis blame(trace.events, trace.times_ns, info);
  const BlameNode server = blame.divide(ProcessId{0}, {0, 4610});
  CHECK(server.of(BlamePart::lock) == 500);
  CHECK(server.of(BlamePart::other) == 0);
  CHECK(wait_for(server, "B", info).of(BlamePart::other) == 4000);
  CHECK(wait_for(server, "B", info).of(BlamePart::on_its_way) == 10);
  CHECK(server.waits.size() == 1);
  const BlameNode client = blame.divide(ProcessId{1}, {4000, 4600});
  CHECK(wait_for(client, "A", info).of(BlamePart::lock) == 500);
}

TEST_CASE("blame: a process queued for the CPU while others wanted it", "[blame]") {
  // B computes from 0 to 1000, A from 0 to 400 on the same machine: B lacked the CPU in the first 400.
  Trace trace;
  trace.message(EventType::send, 0, 1, 1, 0, 0, 0);
  trace.message(EventType::send, 0, 1, 2, 400, 200, 200);
  trace.message(EventType::send, 1, 0, 1, 0, 0, 0);
  trace.message(EventType::send, 1, 0, 2, 1000, 800, 200);
  TraceInfo info = processes(2);
  info.processes[1].machine = info.processes[0].machine;
  const BlameAnalysis blame(trace.events, trace.times_ns, info);
  CHECK(blame.divide(ProcessId{1}, {0, 200}).of(BlamePart::cpu_queue) == 100);
  CHECK(blame.divide(ProcessId{1}, {0, 400}).of(BlamePart::cpu_queue) == 200);
  CHECK(blame.divide(ProcessId{1}, {400, 1000}).of(BlamePart::cpu_queue) == 0);
  CHECK(blame.divide(ProcessId{1}, {400, 1000}).of(BlamePart::cpu) == 600);
}

TEST_CASE("blame: without the times of waits, an idle time that no message ended is not split", "[blame]") {
  Trace trace;
  trace.message(EventType::send, 0, 1, 1, 0, 0, 0);
  trace.message(EventType::send, 0, 1, 2, 1000, 300, 0);
  for (Event& event : trace.events) event.ready_time_ns = event.disk_time_ns = kNotMeasured;
  const BlameAnalysis blame(trace.events, trace.times_ns, processes(2));
  const BlameNode root = blame.divide(ProcessId{0}, {0, 1000});
  CHECK(root.of(BlamePart::cpu) == 300);
  CHECK(root.of(BlamePart::not_split) == 700);
  CHECK_FALSE(blame.is_measured(ProcessId{0}));
}

TEST_CASE("blame: a wait for a lock or a child is a wait for the one that ends it, not longer than it took",
          "[blame]") {
  Trace trace;
  trace.add(0, 0, EventType::start_process, 0, 0);
  trace.add(1, 0, EventType::start_process, 0, 0);
  Event& lock = trace.add(0, 1000, EventType::wait, 100, 0);
  lock.code = static_cast<std::uint32_t>(WaitKind::futex);
  lock.peer.value = 1;
  lock.sequence = 700;
  trace.add(1, 1200, EventType::destroy_process, 1200, 0);
  Event& child = trace.add(0, 1300, EventType::wait, 100, 0);
  child.code = static_cast<std::uint32_t>(WaitKind::process_end);
  child.peer.value = 1;
  child.sequence = 300;
  const TraceInfo info = processes(2);
  const BlameAnalysis blame(trace.events, trace.times_ns, info);
  const BlameNode root = blame.divide(ProcessId{0}, {0, 1300});
  CHECK(root.total_ns() == 1300);
  CHECK(root.of(BlamePart::cpu) == 100);
  CHECK(root.of(BlamePart::other) == 200);
  REQUIRE(root.waits.size() == 2);
  CHECK(root.waits[0].why == BlameWait::lock);
  CHECK(root.waits[0].of(BlamePart::cpu) == 700);
  CHECK(root.waits[1].why == BlameWait::process_end);
  CHECK(root.waits[1].of(BlamePart::cpu) == 200);
  CHECK(root.waits[1].of(BlamePart::on_its_way) == 100);
  // What the holder of a lock did is not a cause of its own.
  const BlameCause first = longest_causes(root).at(0);
  CHECK(first.part == BlamePart::lock);
  CHECK(first.time_ns == 700);
  REQUIRE(first.rivals.size() == 1);
  CHECK(first.rivals[0].process == ProcessId{1});
}

TEST_CASE("blame: causes divide the queue and other waits in proportion, and leave what they do not name", "[blame]") {
  Trace trace;
  trace.add(0, 0, EventType::start_process, 0, 0);
  trace.add(0, 1000, EventType::destroy_process, 200, 400);
  TraceInfo info = processes(2);
  info.wait_causes = {{ProcessId{0}, WaitReason::cpu, ProcessId{1}, "", 100},
                      {ProcessId{0}, WaitReason::cpu, ProcessId{}, "backup", 200},
                      {ProcessId{0}, WaitReason::lock, ProcessId{1}, "", 50},
                      {ProcessId{0}, WaitReason::timer, ProcessId{}, "", 150},
                      {ProcessId{0}, WaitReason::signal, ProcessId{}, "sender", 40}};
  const BlameAnalysis blame(trace.events, trace.times_ns, info);
  const BlameNode root = blame.divide(ProcessId{0}, {0, 500});  // a half of all
  CHECK(root.total_ns() == 500);
  CHECK(root.of(BlamePart::cpu_queue) + root.of(BlamePart::cpu) == 100);
  CHECK(root.of(BlamePart::other) + root.of(BlamePart::lock) + root.of(BlamePart::timer) + root.of(BlamePart::signal) ==
        400);
  const BlameNode all = blame.divide(ProcessId{0}, {0, 1000});
  CHECK(all.of(BlamePart::cpu_queue) == 400);
  CHECK(all.of(BlamePart::lock) == 50);
  CHECK(all.of(BlamePart::timer) == 150);
  CHECK(all.of(BlamePart::signal) == 40);
  CHECK(all.of(BlamePart::other) == 160);
  REQUIRE(all.rivals.size() == 4);
  CHECK(all.rivals[0].name == "backup");
  CHECK(all.rivals[0].time_ns == 200);
  CHECK(all.rivals[3].part == BlamePart::signal);
  CHECK(all.rivals[3].name == "sender");
  std::int64_t sum_ns = 0;
  for (const BlameCause& cause : longest_causes(all)) sum_ns += cause.time_ns;
  CHECK(sum_ns == 1000);
}

TEST_CASE("blame: a lock that three programs held is a longer cause than a timer that is longer than each of them",
          "[blame]") {
  Trace trace;
  trace.add(0, 0, EventType::start_process, 0, 0);
  trace.add(0, 1000, EventType::destroy_process, 50, 0);
  TraceInfo info = processes(2);
  info.wait_causes = {{ProcessId{0}, WaitReason::timer, ProcessId{}, "", 300},
                      {ProcessId{0}, WaitReason::lock, ProcessId{1}, "", 150},
                      {ProcessId{0}, WaitReason::lock, ProcessId{}, "x", 250},
                      {ProcessId{0}, WaitReason::lock, ProcessId{}, "y", 200}};
  const BlameNode root = BlameAnalysis(trace.events, trace.times_ns, info).divide(ProcessId{0}, {0, 1000});
  const auto causes = longest_causes(root);
  REQUIRE(causes.size() == 4);
  CHECK(causes[0].part == BlamePart::lock);
  CHECK(causes[0].time_ns == 600);
  REQUIRE(causes[0].rivals.size() == 3);
  CHECK(causes[0].rivals[0].name == "x");
  CHECK(causes[1].part == BlamePart::timer);
  CHECK(longest_way(root).cause.part == BlamePart::lock);
}

TEST_CASE("blame: the same as a walk through every nanosecond", "[blame]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    const std::uint32_t count = 2 + static_cast<std::uint32_t>(seed % 4);
    const Trace trace = random_trace(seed, count);
    const BlameAnalysis blame(trace.events, trace.times_ns, processes(count));
    const Walk walk(trace, count);
    for (std::uint32_t p = 0; p < count; ++p) {
      const std::int64_t from = static_cast<std::int64_t>(seed % 7), to = 400;
      const BlameNode root = blame.divide(ProcessId{p}, {from, to});
      CHECK(root.total_ns() == to - from);
      Amounts fast, slow;
      flatten(root, {}, fast);
      for (std::int64_t at = from; at < to; ++at) walk.step({p}, at, slow);
      REQUIRE(fast == slow);
    }
  }
}

TEST_CASE("blame: a hog beside the middle server, and a slow disk behind the last, have the shares that they take",
          "[blame]") {
  constexpr int kRequests = 20;
  const auto server = [](const std::string& above, const std::string& below, std::int64_t compute_ms) {
    return [=](MessageCalls& calls) {
      for (;;) {
        calls.receive_message();
        calls.compute(milliseconds(compute_ms));
        if (!below.empty()) {
          calls.send_message(calls.link_to(below), testing::message_of(1));
          calls.receive_message();
        } else {
          calls.sleep(milliseconds(50));
        }
        calls.send_message(calls.link_to(above), testing::message_of(2));
      }
    };
  };
  testing::System system;
  system.scenario.delays = testing::constant_delays(.001, .005);
  for (const char* machine : {"m0", "m1", "m2", "m3", "m4"}) system.machine(machine);
  system.process("client", "m0", {"a"}, [](MessageCalls& calls) {
    for (int i = 0; i < kRequests; ++i) {
      calls.compute(milliseconds(5));
      calls.send_message(calls.link_to("a"), testing::message_of(1));
      calls.receive_message();
    }
  });
  system.service("a", "m1", {"client", "b"}, server("client", "b", 10));
  system.service("b", "m2", {"a", "c"}, server("a", "c", 60));
  system.service("c", "m3", {"b", "disk"}, server("b", "disk", 20));
  system.service("disk", "m4", {"c"}, server("c", "", 1));
  system.service("hog", "m2", {}, [](MessageCalls& calls) {
    for (;;) calls.compute(milliseconds(1000));
  });
  const auto outcome = system.run();
  REQUIRE(outcome.error == "");
  std::vector<std::int64_t> times_ns;
  for (const Event& event : outcome.seen.events) times_ns.push_back(event.local_time.ns);
  const TraceInfo& info = outcome.seen.info;
  const BlameAnalysis blame(outcome.seen.events, times_ns, info);
  const ProcessId client = outcome.of("client", EventType::send).at(0).process;
  const BlameNode root = blame.divide(client, blame.lifetime(client).value());
  const BlameNode& a = wait_for(root, "a", info);
  const BlameNode& b = wait_for(a, "b", info);
  const BlameNode& c = wait_for(b, "c", info);
  const BlameNode& disk = wait_for(c, "disk", info);
  const double whole_ms = static_cast<double>(root.total_ns()) * 1e-6 / kRequests;
  // By the programs: 5 + 10 + 60 + 60 + 20 + 1 + 50 ms, and eight messages.
  CHECK(whole_ms == Approx(206 + 8 * 5).margin(1));
  const auto expects = [&](const BlameNode& node, BlamePart part, double ms) {
    CHECK(share(node.of(part), root) == Approx(ms / whole_ms).margin(.01));
  };
  expects(root, BlamePart::cpu, 5);
  expects(a, BlamePart::cpu, 10);
  expects(b, BlamePart::cpu, 60);
  expects(b, BlamePart::cpu_queue, 60);
  expects(c, BlamePart::cpu, 20);
  expects(c, BlamePart::cpu_queue, 0);
  expects(disk, BlamePart::cpu, 1);
  expects(disk, BlamePart::other, 50);
  CHECK(b.of(BlamePart::cpu_queue) == Approx(static_cast<double>(b.of(BlamePart::cpu))).epsilon(.02));
  REQUIRE(b.rivals.size() == 1);
  CHECK(info[b.rivals[0].process].name == "hog");
  CHECK(b.rivals[0].time_ns == Approx(static_cast<double>(b.of(BlamePart::cpu_queue))).epsilon(.02));
  CHECK(longest_way(root).processes.size() == 3);  // client, a, b
}

}  // namespace dpm
