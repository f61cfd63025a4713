// Streams: what a message is, and which processes are at its ends.
#include <fmt/format.h>

#include "analysis/history/history.hpp"
#include "analysis/messages/message_resolver.hpp"
#include "tests/analysis/messages/live_script.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

History history_of(const Recording& recording, Computation computation = {}) {
  HistoryBuilder builder(std::move(computation));
  REQUIRE(MemorySource(recording).run(builder));
  auto history = builder.take();
  REQUIRE(history);
  return std::move(*history);
}

std::vector<ArcKind> arcs_of(const History& history) {
  std::vector<ArcKind> arcs;
  for (const auto& event : history.events) {
    if (event.kind() == HistoryKind::send || event.kind() == HistoryKind::receive) arcs.push_back(event.arc());
  }
  return arcs;
}

}  // namespace

TEST_CASE("messages: the picture of stream_messages.hpp", "[messages]") {
  LiveScript script;
  const auto w = script.process("w"), r = script.process("r");
  const auto stream = script.stream("pipe 1");
  script.send(w, stream, 0, 20);
  script.send(w, stream, 20, 10);
  script.send(w, stream, 30, 10);
  script.send(w, stream, 40, 22);
  script.receive(r, stream, 0, 14);
  script.receive(r, stream, 14, 20);
  script.receive(r, stream, 34, 7);
  script.receive(r, stream, 41, 15);
  const Recording resolved = script.resolved();
  CHECK(shown(resolved) == Lines{"w SEND to r #0 20", "w SEND to r #20 10", "w SEND to r #30 10", "w SEND to r #40 22",
                                 "r RECEIVE from w #0 20", "r RECEIVE from w #20 10", "r RECEIVE from w #30 10",
                                 "r RECEIVE from w #40 16", "r RECEIVE no message"});
  CHECK(resolved.losses.warnings.empty());
  const History history = history_of(resolved);
  CHECK(arcs_of(history) == std::vector<ArcKind>(8, ArcKind::proven));
  CHECK(history.cpu_ns() == 8'000'000);  // the last RECEIVE's millisecond is not lost
}

TEST_CASE("messages: what a receive waited for, its further messages wait for as well", "[messages]") {
  LiveScript script;
  const auto w = script.process("w"), r = script.process("r");
  const auto stream = script.stream("pipe 1"), other = script.stream("pipe 2");
  const auto only_stream = script.set_of(stream);
  for (std::uint64_t i = 0; i < 3; ++i) script.send(w, stream, i * 10, 10);
  script.send(w, other, 0, 1);
  script.send(w, other, 1, 1);
  script.receive_call(r, only_stream);
  script.receive(r, stream, 0, 25);
  script.receive(r, stream, 25, 5);
  script.receive_call(r, 0);
  script.receive(r, other, 0, 2);
  auto lines = shown(script.resolved());
  lines.erase(lines.begin(), lines.begin() + 5);
  CHECK(lines == Lines{"r RECEIVECALL 1", "r RECEIVE from w #0 10", "r RECEIVECALL 1", "r RECEIVE from w #10 10",
                       "r RECEIVECALL 1", "r RECEIVE from w #20 10", "r RECEIVE no message", "r RECEIVECALL 0",
                       "r RECEIVE from w #0 1", "r RECEIVE from w #1 1"});
  const History history = history_of(script.resolved());
  for (const auto& event : history.of(r)) {
    if (event.kind() != HistoryKind::receive) continue;
    const bool from_other = history.events[event.match].channel == other.value;
    CHECK(event.channel == (from_other ? 0 : only_stream));
  }
}

TEST_CASE("messages: a SEND is a message to each of the processes that share its bytes", "[messages]") {
  LiveScript script;
  const auto w = script.process("w"), a = script.process("a"), b = script.process("b");
  const auto stream = script.stream("pipe 1");
  script.send(w, stream, 0, 100);
  script.receive(a, stream, 0, 30);
  script.receive(b, stream, 30, 30);
  script.receive(a, stream, 60, 30);
  CHECK(shown(script.resolved()) == Lines{"w SEND to a #0 70", "w SEND to b #30 30", "a RECEIVE from w #0 60",
                                          "b RECEIVE from w #30 30", "a RECEIVE no message"});
}

TEST_CASE("messages: several senders of one stream keep their own", "[messages]") {
  LiveScript script;
  const auto a = script.process("a"), b = script.process("b"), r = script.process("r");
  const auto stream = script.stream("pipe 1");
  script.send(b, stream, 0, 5);
  script.send(a, stream, 5, 5);
  script.send(b, stream, 10, 5);
  script.receive(r, stream, 0, 15);
  CHECK(shown(script.resolved()) == Lines{"b SEND to r #0 5", "a SEND to r #5 5", "b SEND to r #10 5",
                                          "r RECEIVE from b #0 5", "r RECEIVE from a #5 5", "r RECEIVE from b #10 5"});
}

TEST_CASE("messages: what no process reads stays open, and its reader is named", "[messages]") {
  LiveScript script;
  const auto w = script.process("w"), r = script.process("r");
  const auto stream = script.stream("pipe 1"), unread = script.stream("pipe 2");
  script.receive_call(r, script.set_of(unread));  // it would read, so the end is metered
  script.send(w, stream, 0, 10);
  script.send(w, stream, 10, 10);
  script.send(w, unread, 0, 10);
  script.receive(r, stream, 0, 10);
  const Recording resolved = script.resolved();
  CHECK(shown(resolved) == Lines{"r RECEIVECALL 1", "w SEND to r #0 10", "w SEND to r #10 10", "w SEND to r #0 10",
                                 "r RECEIVE from w #0 10"});
  const History history = history_of(resolved);
  CHECK(history.sends_without_receive == 2);
  CHECK(arcs_of(history) == std::vector{ArcKind::proven, ArcKind::missing, ArcKind::missing, ArcKind::proven});
}

TEST_CASE("messages: an unmetered end is one process outside, for both directions and every connection", "[messages]") {
  LiveScript script;
  const auto client = script.process("client");
  for (const auto* port : {"40000", "40001"}) {
    const std::string own = "127.0.0.1:" + std::string(port), server = "127.0.0.1:6379";
    const auto to = script.stream(fmt::format("tcp {} > {}", own, server)),
               from = script.stream(fmt::format("tcp {} > {}", server, own));
    Event& connect = script.event(client, EventType::connect, to);
    connect.passed_channel = from;
    script.send(client, to, 0, 10);
    script.receive(client, from, 0, 20);
  }
  const Recording resolved = script.resolved();
  const Lines one = {"client CONNECT outside 127.0.0.1:6379", "client SEND to outside 127.0.0.1:6379 #0 10",
                     "client RECEIVE from outside 127.0.0.1:6379 #0 20"};
  Lines both = one;
  both.insert(both.end(), one.begin(), one.end());
  CHECK(shown(resolved) == both);
  REQUIRE(resolved.info.processes.size() == 2);
  CHECK_FALSE(resolved.info.processes[1].in_computation);
  CHECK(resolved.info.processes[1].machine == MachineId{0});  // loopback: it is here
  CHECK(arcs_of(history_of(resolved)) == std::vector<ArcKind>(4, ArcKind::outside));
  // Even if the computation includes all processes, what happens there is not known.
  CHECK(arcs_of(history_of(resolved, {.all_processes = true})) == std::vector<ArcKind>(4, ArcKind::outside));
}

TEST_CASE("messages: outside ends are named by address, path, or channel", "[messages]") {
  LiveScript script;
  const auto p = script.process("p");
  const auto sent_to = [&](const std::string& name) { script.send(p, script.stream(name), 0, 1); };
  sent_to("tcp 10.0.0.5:1000 > 10.0.0.7:80");
  sent_to("tcp 10.0.0.5:1000 > 10.0.0.5:80");
  sent_to("tcp [::1]:7 > [::1]:80");
  sent_to("unix socket:[7] > /run/server.sock#99");
  sent_to("unix socket:[8] > /run/server.sock#100");
  sent_to("unix socket:[9] > socket:[10]");
  sent_to("pipe 8:1234");
  sent_to("");
  sent_to(" > ");
  const Recording resolved = script.resolved();
  Lines names;
  for (const auto& process : resolved.info.processes)
    names.push_back(process.name + (process.machine.is_none() ? " (elsewhere)" : ""));
  CHECK(names == Lines{"p", "outside 10.0.0.7:80 (elsewhere)", "outside 10.0.0.5:80", "outside [::1]:80",
                       "outside /run/server.sock", "outside socket:[10]", "outside pipe 8:1234", "outside of channel 7",
                       "outside  > "});
}

TEST_CASE("messages: of several machines, an outside end is where its address leads", "[messages]") {
  LiveScript script;
  script.recording.info.machines.push_back({.name = "there", .addresses = {"10.0.0.7", "fe80::7"}});
  const auto p = script.process("p"), q = script.process("q");
  script.recording.info.processes[q.value].machine = MachineId{1};
  const auto sent_to = [&](ProcessId by, const std::string& name) { script.send(by, script.stream(name), 0, 1); };
  sent_to(p, "tcp 10.0.0.5:1000 > 10.0.0.7:80");
  sent_to(p, "tcp [fe80::5]:1000 > [fe80::7]:80");
  sent_to(p, "tcp 10.0.0.5:1000 > 10.0.0.8:80");
  sent_to(p, "tcp 127.0.0.1:7 > 127.0.0.1:80");
  sent_to(q, "tcp 127.0.0.1:7 > 127.0.0.1:80");
  sent_to(q, "unix socket:[7] > /run/server.sock#99");
  const Recording resolved = script.resolved();
  Lines names;
  for (const auto& process : resolved.info.processes)
    names.push_back(process.name + (process.machine.is_none() ? "" : " at " + resolved.info[process.machine].name));
  CHECK(names == Lines{"p at here", "q at there", "outside 10.0.0.7:80 at there", "outside [fe80::7]:80 at there",
                       "outside 10.0.0.8:80", "outside 127.0.0.1:80 on here at here",
                       "outside 127.0.0.1:80 on there at there", "outside /run/server.sock on there at there"});
}

TEST_CASE("messages: very many ends at one host are one process", "[messages]") {
  for (const std::size_t clients : {OutsideEnds::kEndsMax, OutsideEnds::kEndsMax + 1}) {
    LiveScript script;
    const auto server = script.process("server");
    for (std::size_t i = 0; i < clients; ++i) {
      const auto from = script.stream(fmt::format("tcp 10.0.0.1:{} > 10.0.0.7:80", i));
      script.receive(server, from, 0, 10);
    }
    const Recording resolved = script.resolved();
    const bool many = clients > OutsideEnds::kEndsMax;
    CHECK(resolved.info.processes.size() == 1 + (many ? 1 : clients));
    CHECK(resolved.info.processes[1].name == (many ? "outside 10.0.0.1" : "outside 10.0.0.1:0"));
    CHECK(resolved.losses.warnings ==
          (many ? Lines{"201 unmetered ends at 10.0.0.1 are shown as one process"} : Lines{}));
  }
}

TEST_CASE("messages: a GAP on a channel of datagrams is counted, and matches nothing", "[messages]") {
  LiveScript script;
  const auto w = script.process("w"), r = script.process("r");
  const auto channel = script.datagrams("udp a:1 > b:2");
  script.send(w, channel, 1, 10);
  script.receive(r, channel, 0, 10);
  Event& gap = script.event(r, EventType::gap, channel);
  gap.sequence = 3;
  gap.code = 1;
  const Recording resolved = script.resolved();
  CHECK(resolved.losses.warnings == Lines{"datagrams matched by order and size: 1",
                                          "datagrams that do not agree with the kernel's counts (GAP): 3"});
}

TEST_CASE("messages: bytes that passed the meter are missing, not from outside", "[messages]") {
  LiveScript script;
  const auto w = script.process("w"), r = script.process("r");
  const auto stream = script.stream("tcp a:1 > b:2");
  script.send(w, stream, 0, 10);
  Event& gap = script.event(w, EventType::gap, stream);
  gap.sequence = 10;
  gap.length_bytes = 50;
  script.send(w, stream, 60, 10);
  script.receive(r, stream, 0, 30);
  script.receive(r, stream, 30, 10);
  script.receive(r, stream, 40, 30);
  const Recording resolved = script.resolved();
  CHECK(shown(resolved) == Lines{"w SEND to r #0 10", "w GAP", "w SEND to r #60 10", "r RECEIVE from w #0 10",
                                 "r RECEIVE from w #10 20 inferred", "r RECEIVE from w #30 10 inferred",
                                 "r RECEIVE from w #40 20 inferred", "r RECEIVE from w #60 10"});
  CHECK(resolved.losses.warnings ==
        Lines{"bytes that passed the meter unseen (GAP): 50",
              "messages from metered processes that were not seen sending them: 3 (50 bytes of streams)"});
  CHECK(history_of(resolved).receives_without_send == 3);
}

TEST_CASE("messages: a process that holds the descriptor is not outside, though nothing was seen sent", "[messages]") {
  for (const auto type : {EventType::accept, EventType::connect, EventType::socket, EventType::dup, EventType::gap}) {
    LiveScript script;
    const auto w = script.process("w"), r = script.process("r");
    const auto stream = script.stream("tcp a:1 > b:2");
    script.event(w, type, stream);
    script.receive(r, stream, 0, 10);
    CHECK(shown(script.resolved()).back() == "r RECEIVE from w #0 10 inferred");
  }
}

TEST_CASE("messages: operations that contradict each other are counted, and no byte has two messages", "[messages]") {
  LiveScript script;
  const auto a = script.process("a"), b = script.process("b"), r = script.process("r");
  const auto stream = script.stream("tcp a:1 > b:2");
  script.send(a, stream, 0, 100);  // only 40 of them: the next shows it
  script.send(b, stream, 40, 10);
  script.send(a, stream, 40, 30);  // at the same instant
  script.send(a, stream, 40, 30);  // the same event again
  script.send(b, stream, 80, 0);
  script.send(b, stream, std::uint64_t{1} << 63, 10);  // no stream is so long
  script.receive(r, stream, 0, 70);
  const Recording resolved = script.resolved();
  CHECK(shown(resolved) == Lines{"a SEND to r #0 40", "b SEND no message", "a SEND to r #40 30", "a SEND no message",
                                 "b SEND no message", "b SEND no message", "r RECEIVE from a #0 40",
                                 "r RECEIVE from a #40 30"});
  REQUIRE(resolved.losses.warnings.size() == 1);
  CHECK(resolved.losses.warnings[0].starts_with("operations on streams that claim bytes which others claim too: 4 ("));
}

TEST_CASE("messages: numbered channels, kernel messages and other events stay what they are", "[messages]") {
  Recording recording = client_and_server(20);
  recording.info.channels.push_back({ProcessId{0}, "pipe 1", ChannelKind::stream});  // there, and never used
  Event kernel = recording.events.back();
  kernel.flags = event_flags::kKernelMessage;
  recording.events.push_back(kernel);
  const Recording resolved = resolve(recording);
  CHECK(shown(resolved) == shown(recording));
  CHECK(resolved.info.processes.size() == recording.info.processes.size());
}

TEST_CASE("messages: a simulated exchange in bytes gives the same history", "[messages]") {
  const Recording numbered = client_and_server(50), live = told_in_bytes(numbered);
  const History before = history_of(numbered), after = history_of(resolve(live));
  REQUIRE(before.events.size() == after.events.size());
  for (std::size_t i = 0; i < before.events.size(); ++i) {
    const HistoryEvent &a = before.events[i], &b = after.events[i];
    CHECK((a.kind() == b.kind() && a.arc() == b.arc() && a.cpu_ns == b.cpu_ns && a.match == b.match &&
           a.length_bytes == b.length_bytes && a.channel == b.channel && a.peer == b.peer));
  }
}
