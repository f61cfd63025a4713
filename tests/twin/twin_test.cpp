// Twins of simulated scenarios: what is recognised, that the file loads and runs, and that it does the same.
#include "twin/twin.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/parallelism/parallelism.hpp"
#include "answers/reading/tee_sink.hpp"
#include "backends/sim/sim_source.hpp"
#include "scenarios/behaviour/step_walk.hpp"
#include "scenarios/scenario_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/twin/twin_runs.hpp"
#include "twin/making_steps.hpp"
#include "twin/scenario_text.hpp"

using namespace dpm;
using namespace dpm::testing;

namespace {

// Clients, a balancer that gives requests to replicas in turn, and replicas that sometimes ask a store first.
const std::string kService = scenario(R"({
  "client": {"start": [{"repeat": 40, "do": [{"compute_s": {"exponential": 0.03}},
                                              {"call": "ask", "to": "balancer", "bytes": 100}]}]},
  "balancer": {"on": [{"kind": "ask", "from": "client", "do": [{"compute_s": 0.002},
                        {"forward": "ask", "to": "replica", "pick": "in_turn"}]},
                      {"kind": "result", "do": [{"reply": "result", "bytes": 200}]}]},
  "replica": {"on": [{"kind": "ask", "do": [{"compute_s": {"exponential": 0.04}},
    {"choose": [{"weight": 3, "do": []}, {"weight": 1, "do": [{"call": "query", "to": "store", "bytes": 50}]}]},
    {"send": "result", "to": "sender", "bytes": 200}]}]},
  "store": {"on": [{"kind": "query", "do": [{"compute_s": 0.01}, {"reply": "rows", "bytes": 300}]}]}})",
                                      R"([
  {"name": "client", "count": 3, "program": "client", "machine": "desk", "in_computation": false},
  {"name": "balancer", "program": "balancer", "machine": "red"},
  {"name": "replica", "count": 2, "program": "replica", "machine": ["red", "blue"]},
  {"name": "store", "program": "store", "machine": "blue"}])");

// Tasks for free workers, in two rounds.
const std::string kTasks = scenario(R"({
  "master": {"start": [{"dispatch": "task", "to": "worker", "bytes": 64, "tasks": 20, "in_flight": 1, "answer": "done",
                        "next": [{"compute_s": 0.001}]},
                       {"compute_s": 0.05},
                       {"dispatch": "task", "to": "worker", "bytes": 64, "tasks": 7, "answer": "done"},
                       {"send": "end", "to": "worker", "pick": "all", "bytes": 20}]},
  "worker": {"on": [{"kind": "task", "do": [{"compute_s": {"uniform": [0.02, 0.2]}},
                                             {"send": "done", "to": "sender", "bytes": 30}]},
                    {"kind": "end", "do": [{"stop": true}]}]}})",
                                    R"([{"name": "master", "program": "master", "machine": "red"},
  {"name": "worker", "count": 3, "program": "worker", "machine": "desk"}])");

}  // namespace

TEST_CASE("twin: clients, a balancer and replicas are recognised for what they are", "[twin]") {
  auto twin = twin_of(simulate(kService));
  const auto& client = group(twin, "client");
  CHECK(client.count == 3);
  CHECK(client.starts_requests);
  CHECK_FALSE(client.in_computation);
  const auto repeats = all_of<steps::Repeat>(client);
  REQUIRE(repeats.size() == 1);
  CHECK(repeats[0].times.number == 40);

  const auto sends = all_of<steps::Send>(group(twin, "balancer"));
  REQUIRE(sends.size() == 2);
  CHECK((sends[0].message.to.name == "replica" && sends[0].message.pick == Pick::in_turn));
  CHECK((sends[1].message.to.name == "client" && sends[1].message.pick == Pick::requester));

  const auto& replica = group(twin, "replica");
  REQUIRE(all_of<steps::Choose>(replica).size() == 1);
  CHECK(all_of<steps::Choose>(replica)[0].branches.size() == 2);
  REQUIRE(all_of<steps::Wait>(replica).size() == 1);
  CHECK(all_of<steps::Wait>(replica)[0].from.name == "store");
  CHECK(twin.warnings.empty());
}

TEST_CASE("twin: its file loads, runs, and uses the same CPU time in the same number of messages", "[twin]") {
  for (const auto& text : {kService, kTasks}) {
    const Run original = simulate(text);
    const Run again = simulate(twin::scenario_text(twin_of(original)));
    CHECK(again.messages == Approx(original.messages).epsilon(0.02));
    CHECK(again.T_s == Approx(original.T_s).epsilon(0.03));
    CHECK(again.elapsed_s == Approx(original.elapsed_s).epsilon(0.1));
  }
}

TEST_CASE("twin: a process that hands out tasks does so in its rounds, and ends its workers", "[twin]") {
  auto twin = twin_of(simulate(kTasks));
  const auto rounds = all_of<steps::Dispatch>(group(twin, "master"));
  REQUIRE(rounds.size() == 2);
  CHECK((rounds[0].times.number == 20 && rounds[0].in_flight.number == 1 && rounds[0].to.name == "worker"));
  CHECK(rounds[1].times.number == 7);
  CHECK(all_of<steps::Send>(group(twin, "master"))[0].message.pick == Pick::all);
  CHECK(all_of<steps::Stop>(group(twin, "worker")).size() == 1);
}

TEST_CASE("twin: a program whose message is answered every second time is not one that draws lots", "[twin]") {
  auto twin = twin_of(simulate(scenario(R"({
    "asker": {"start": [{"repeat": 10, "do": [{"send": "half", "to": "pairs", "bytes": 20},
                 {"send": "half", "to": "pairs", "bytes": 20}, {"wait": "whole", "from": "pairs"}]}]},
    "pairs": {"variables": {"n": 0}, "on": [{"kind": "half", "do": [{"count": "n"}, {"if": "n", "at_least": 2, "do": [
                 {"set": "n"}, {"send": "whole", "to": "sender", "bytes": 20}]}]}]}})",
                                        R"([{"name": "asker", "program": "asker", "machine": "red"},
    {"name": "pairs", "program": "pairs", "machine": "blue"}])")));
  const auto every = all_of<steps::If>(group(twin, "pairs"));
  REQUIRE(every.size() == 1);
  CHECK(every[0].criterion.at_least.value().number == 2);
}

TEST_CASE("twin: neighbours that exchange wait for any of them, and continue when both have sent", "[twin]") {
  std::string programs = "{", processes = "[";
  for (int p = 0; p < 4; ++p) {
    const auto peer = [](int number) { return "n" + std::to_string((number + 4) % 4); };
    programs += (p > 0 ? ", \"" : "\"") + peer(p) + R"(": {"start": [{"repeat": 30, "do": [
      {"compute_s": {"exponential": 0.02}}, {"send": "border", "to": ")" +
                peer(p - 1) + R"(", "bytes": 50}, {"send": "border", "to": ")" + peer(p + 1) +
                R"(", "bytes": 50}, {"wait": "border", "count": 2}]}]})";
    processes +=
        (p > 0 ? ", " : "") + (R"({"name": ")" + peer(p) + R"(", "program": ")" + peer(p)) + R"(", "machine": "red"})";
  }
  const Run original = simulate(scenario(programs + "}", processes + "]"));
  auto twin = twin_of(original);
  CHECK(group(twin, "n1").program.handlers.empty());
  const Run again = simulate(twin::scenario_text(twin));
  CHECK(again.messages == original.messages);
  CHECK(again.T_s == Approx(original.T_s).epsilon(0.02));
}

TEST_CASE("twin: a process that ends when it has counted everything does so, whatever the kinds were", "[twin]") {
  const Run original = simulate(scenario(R"({
    "source": {"start": [{"repeat": 50, "do": [{"compute_s": 0.001}, {"choose": [
        {"do": [{"send": "small", "to": "sink", "bytes": 20}]}, {"do": [{"send": "large", "to": "sink", "bytes": 90}]}]}]}]},
    "sink": {"variables": {"n": 0}, "on": [{"kind": "any", "do": [{"compute_s": {"exponential": 0.01}}, {"count": "n"},
        {"if": "n", "at_least": 150, "do": [{"stop": true}]}]}]}})",
                                         R"([{"name": "source", "count": 3, "program": "source", "machine": "desk"},
    {"name": "sink", "program": "sink", "machine": "red"}])"));
  auto twin = twin_of(original);
  const auto ends = all_of<steps::If>(group(twin, "sink"));
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].criterion.at_least.value().number == 150);
  CHECK(simulate(twin::scenario_text(twin)).messages == 150);
}

TEST_CASE("twin: as many tokens go round as did", "[twin]") {
  const Run original = simulate(scenario(R"({
    "first": {"variables": {"back": 0}, "start": [{"repeat": 2, "do": [{"send": "token", "to": "second", "bytes": 20}]}],
      "on": [{"kind": "token", "do": [{"compute_s": 0.01}, {"count": "back"}, {"if": "back", "at_least": 39, "do": [
        {"if": "back", "at_least": 40, "do": [{"stop": true}]}], "else": [{"forward": "token", "to": "second"}]}]}]},
    "second": {"on": [{"kind": "token", "do": [{"compute_s": 0.01}, {"forward": "token", "to": "first"}]}]}})",
                                         R"([{"name": "first", "program": "first", "machine": "red"},
    {"name": "second", "program": "second", "machine": "blue"}])"));
  CHECK(simulate(twin::scenario_text(twin_of(original))).messages == original.messages);
}

TEST_CASE("twin: a process that fetches tasks does what it is given, and the one that gives them ends", "[twin]") {
  const Run original = simulate(scenario(R"({
    "giver": {"variables": {"asked": 0}, "on": [{"kind": "done", "do": [{"count": "asked"}, {"if": "asked", "at_least": 61,
      "do": [{"if": "asked", "at_least": 63, "do": [{"stop": true}]}], "else": [{"choose": [
        {"weight": 3, "do": [{"send": "small", "to": "sender", "bytes": 20}]},
        {"weight": 2, "do": [{"send": "large", "to": "sender", "bytes": 20}]}]}]}]}]},
    "worker": {"start": [{"send": "done", "to": "giver", "bytes": 20}],
      "on": [{"kind": "small", "do": [{"compute_s": {"exponential": 0.01}}, {"send": "done", "to": "giver", "bytes": 20}]},
             {"kind": "large", "do": [{"compute_s": 0.05}, {"send": "done", "to": "giver", "bytes": 20}]}]}})",
                                         R"([{"name": "giver", "program": "giver", "machine": "red"},
    {"name": "worker", "count": 3, "program": "worker", "machine": "desk"}])"));
  auto twin = twin_of(original);
  CHECK(group(twin, "worker").program.handlers.size() == 2);
  CHECK(simulate(twin::scenario_text(twin)).messages == original.messages);
}

TEST_CASE("twin: a process that asks one and is answered by another waits for the one that answers", "[twin]") {
  const Run original = simulate(scenario(R"({
    "asker": {"start": [{"repeat": 40, "do": [{"send": "ask", "to": "near", "bytes": 20}, {"wait": "answer"}]}]},
    "near": {"on": [{"kind": "ask", "do": [{"compute_s": 0.01}, {"choose": [
      {"do": [{"send": "answer", "to": "asker", "bytes": 20}]}, {"do": [{"forward": "ask", "to": "far"}]}]}]}]},
    "far": {"on": [{"kind": "ask", "do": [{"compute_s": 0.02}, {"send": "answer", "to": "asker", "bytes": 20}]}]}})",
                                         R"([{"name": "asker", "program": "asker", "machine": "red"},
    {"name": "near", "program": "near", "machine": "red"}, {"name": "far", "program": "far", "machine": "blue"}])"));
  auto twin = twin_of(original);
  const auto waits = all_of<steps::Wait>(group(twin, "asker"));
  REQUIRE(waits.size() == 1);
  CHECK(waits[0].from.name.empty());
  CHECK(simulate(twin::scenario_text(twin)).messages == original.messages);
}

TEST_CASE("twin: a process that counts to its end does so beside others that wait for answers", "[twin]") {
  const Run original = simulate(scenario(R"({
    "source": {"start": [{"repeat": 200, "do": [{"compute_s": 0.01}, {"send": "item", "to": "sink", "bytes": 20}]}]},
    "sink": {"variables": {"n": 0}, "on": [{"kind": "item", "do": [{"compute_s": 0.02}, {"count": "n"},
        {"if": "n", "at_least": 200, "do": [{"stop": true}]}]}]},
    "asker": {"start": [{"repeat": 20, "do": [{"call": "ask", "to": "server", "bytes": 20}]}]},
    "server": {"on": [{"kind": "ask", "do": [{"compute_s": 0.01}, {"reply": "answer", "bytes": 20}]}]}})",
                                         R"([{"name": "source", "program": "source", "machine": "red"},
    {"name": "sink", "program": "sink", "machine": "blue"}, {"name": "asker", "program": "asker", "machine": "desk_1"},
    {"name": "server", "program": "server", "machine": "desk_2"}])"));
  auto twin = twin_of(original);
  CHECK(all_of<steps::If>(group(twin, "sink")).size() == 1);
  CHECK(all_of<steps::If>(group(twin, "server")).empty());
  CHECK(simulate(twin::scenario_text(twin)).elapsed_s == Approx(original.elapsed_s).epsilon(0.01));
}

TEST_CASE("twin: a process that draws a receiver for each message does not write to all", "[twin]") {
  auto twin = twin_of(simulate(scenario(R"({
    "source": {"start": [{"repeat": 200, "do": [{"compute_s": 0.01}, {"send": "item", "to": "sink", "bytes": 20}]}]},
    "sink": {"on": [{"kind": "item", "do": [{"compute_s": 0.001}]}]}})",
                                        R"([{"name": "source", "program": "source", "machine": "red"},
    {"name": "sink", "count": 3, "program": "sink", "machine": "desk"}])")));
  for (const auto& send : all_of<steps::Send>(group(twin, "source"))) CHECK(send.message.pick == Pick::random);
}

TEST_CASE("twin: what a live server sends belongs to what it answers, though it reads several before", "[twin]") {
  twin::Recording recording;
  recording.info.machines.push_back({"host"});
  for (const auto* name : {"server", "client"}) recording.info.processes.push_back({name, name, MachineId{0}});
  recording.records.resize(2);
  auto& server = recording.records[0];
  auto& client = recording.records[1];
  server.metered = client.metered = true;
  server.machine = client.machine = MachineId{0};
  const auto message = [&](twin::ProcessRecord& from, twin::ProcessRecord& to, std::uint32_t from_number,
                           std::uint32_t to_number) {
    twin::Operation send, receive;
    send.peer = to_number;
    send.bytes = receive.bytes = 40;
    send.match = static_cast<std::uint32_t>(to.operations.size());
    receive.kind = twin::OperationKind::receive;
    receive.peer = from_number;
    receive.match = static_cast<std::uint32_t>(from.operations.size());
    send.cpu_ns = receive.cpu_ns = 1000;
    from.operations.push_back(send);
    to.operations.push_back(receive);
    ++recording.messages;
  };
  for (int round = 0; round < 40; ++round) {
    const int together = 1 + round % 3;
    for (int i = 0; i < together; ++i) message(client, server, 1, 0);
    for (int i = 0; i < together; ++i) message(server, client, 0, 1);
  }
  recording.events = 4 * recording.messages;
  const auto made = twin::make_twin(std::move(recording));
  REQUIRE(made.has_value());
  auto twin = *made;
  const auto& handlers = group(twin, "server").program.handlers;
  REQUIRE(handlers.size() == 1);
  CHECK(all_of<steps::Choose>(group(twin, "server")).empty());
  CHECK(all_of<steps::Send>(group(twin, "server")).size() == 1);
}

TEST_CASE("twin: sizes that decide what a receiver does make kinds of messages", "[twin]") {
  auto twin = twin_of(simulate(scenario(R"({
    "asker": {"start": [{"repeat": 60, "do": [{"call": "do", "to": "doer", "bytes": {"choice": [20, 900]}}]}]},
    "doer": {"on": [{"kind": "do", "do": [{"compute_s": 0.001}, {"reply": "done", "bytes": 20}]}]}})",
                                        R"([{"name": "asker", "program": "asker", "machine": "red"},
    {"name": "doer", "program": "doer", "machine": "blue"}])")));
  CHECK(group(twin, "doer").program.handlers.size() == 1);  // the same for both sizes

  auto other = twin_of(simulate(scenario(R"({
    "asker": {"start": [{"repeat": 60, "do": [{"choose": [{"do": [{"call": "do", "to": "doer", "bytes": 20}]},
                 {"do": [{"call": "slow", "to": "doer", "bytes": 900}]}]}]}]},
    "doer": {"on": [{"kind": "do", "do": [{"compute_s": 0.001}, {"reply": "done", "bytes": 20}]},
                    {"kind": "slow", "do": [{"compute_s": 0.1}, {"reply": "done", "bytes": 20}]}]}})",
                                         R"([{"name": "asker", "program": "asker", "machine": "red"},
    {"name": "doer", "program": "doer", "machine": "blue"}])"),
                                /*with_codes=*/false));
  CHECK(group(other, "doer").program.handlers.size() == 2);
}

TEST_CASE("twin: twice the clients, one more replica, a slower link", "[twin]") {
  auto twin = twin_of(simulate(kService));
  REQUIRE(twin::multiply_clients(twin, 2).has_value());
  CHECK(group(twin, "client").count == 6);
  CHECK(group(twin, "client").machines.size() == 6);
  CHECK(group(twin, "replica").count == 2);
  REQUIRE(twin::apply(twin, {.replicas = {{"store"}}}).has_value());
  CHECK(group(twin, "store").count == 2);
  bool in_turn = false;
  for (const auto& send : all_of<steps::Send>(group(twin, "replica")))
    in_turn = in_turn || (send.message.to.name == "store" && send.message.pick == Pick::in_turn);
  CHECK(in_turn);
  REQUIRE(twin::apply(twin, {.delays = {{"red-blue", 2}}}).has_value());
  REQUIRE(twin.delays.pairs.size() == 1);
  CHECK(twin.delays.pairs[0].delays.delivery_s.at(100) == Approx(2 * twin.delays.remote.delivery_s.at(100)));
  const Run run = simulate(twin::scenario_text(twin));
  CHECK(run.messages > 0);
}

TEST_CASE("twin: a process twice as fast uses half the CPU time, and a machine has the cores that it is given",
          "[twin]") {
  auto twin = twin_of(simulate(kService));
  const auto cost = [&] {
    double sum_s = 0;
    for (const auto& step : all_of<steps::Compute>(group(twin, "replica"))) {
      sum_s += step.amount.first.number;
      for (const double value : step.amount.values) sum_s += value;
    }
    return sum_s;
  };
  const double before_s = cost();
  REQUIRE(before_s > 0);
  REQUIRE(twin::apply(twin, {.speeds = {{"replica", 2}}, .cores = {{"red", 4}}}).has_value());
  CHECK(cost() == Approx(before_s / 2));
  CHECK(twin.machines.front().cores == 4);
}

TEST_CASE("twin: what-ifs that make no sense are refused", "[twin]") {
  auto twin = twin_of(simulate(kService));
  CHECK_FALSE(twin::multiply_clients(twin, 0).has_value());
  CHECK(twin::apply(twin, {.replicas = {{"replicas"}}}).error().what ==
        "no process or group 'replicas' in the twin (did you mean 'replica'?)");
  CHECK_FALSE(twin::apply(twin, {.delays = {{"red-red", 2}}}).has_value());
  CHECK_FALSE(twin::apply(twin, {.delays = {{"red-green", 2}}}).has_value());
  CHECK_FALSE(twin::apply(twin, {.delays = {{"red-blue", -1}}}).has_value());
  CHECK_FALSE(twin::apply(twin, {.speeds = {{"store", 0}}}).has_value());
  CHECK_FALSE(twin::apply(twin, {.cores = {{"green", 2}}}).has_value());
  CHECK_FALSE(twin::apply(twin, {.replicas = {{.process = "store", .machine = "red"}}}).has_value());
}

TEST_CASE("twin: measured values keep mean and spread", "[twin]") {
  std::vector<double> samples;
  Random random(1);
  for (int i = 0; i < 5000; ++i) samples.push_back(random.exponential(0.02));
  const Quantity measured = twin::summarise(samples, 1);
  CHECK(measured.values.size() <= 64);
  double mean = 0, squares = 0, kept = 0;
  for (const double sample : samples) mean += sample / 5000;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean) / 5000;
  for (const double value : measured.values)
    kept += (value - mean) * (value - mean) / static_cast<double>(measured.values.size());
  CHECK(twin::mean(measured) == Approx(mean).epsilon(1e-9));
  CHECK(kept == Approx(squares).epsilon(0.03));
  CHECK(twin::summarise({1, 1, 1}, 1).kind == Quantity::Kind::constant);
  CHECK(twin::summarise({}, 1).first.number == 0);
}

TEST_CASE("twin: an empty stream and one without messages are refused", "[twin]") {
  TraceInfo info;
  info.processes.push_back({"a", "a"});
  twin::RecordingSink empty;
  empty.on_begin(info);
  empty.on_end({});
  CHECK(empty.take().error().what.find("the trace is empty") != std::string::npos);

  twin::RecordingSink silent;
  silent.on_begin(info);
  Event event;
  event.type = EventType::start_process;
  event.process = ProcessId{0};
  event.machine = MachineId{0};
  silent.on_events(std::span(&event, 1));
  silent.on_end({});
  CHECK(silent.take().error().what.find("no SEND and no RECEIVE") != std::string::npos);
}
