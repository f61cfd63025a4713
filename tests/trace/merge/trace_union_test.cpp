// Machines, processes, sets, filters and late changes, by hand.
#include "trace/merge/trace_union.hpp"

#include "tests/support/catch.hpp"
#include "tests/trace/merge/union_by_hand.hpp"

using namespace dpm;
using namespace dpm::test;

TEST_CASE("merge: machines of one name are one, and their addresses add up", "[merge]") {
  Traces traces;
  traces.machine("red", {"10.0.0.1", "10.0.0.9"});
  traces.machine("blue", {"10.0.0.2"});
  traces.machine("red", {"10.0.0.1", "fe80::1"});
  traces.unite();
  const auto& machines = traces.united->info().machines;
  REQUIRE(machines.size() == 2);
  CHECK(machines[0].addresses == std::vector<std::string>{"10.0.0.1", "10.0.0.9", "fe80::1"});
  CHECK(traces.united->warnings().empty());
  traces.machine("blue", {"10.0.0.3"});
  traces.unite();
  REQUIRE(traces.united->warnings().size() == 1);
  CHECK(traces.united->warnings()[0].find("'blue'") != std::string::npos);
}

TEST_CASE("merge: a process is one only by machine, numbers and beginning", "[merge]") {
  Traces traces;
  TraceInfo& first = traces.machine("red");
  Traces::process(first, "server", 7, 100);
  Traces::process(first, "made up", 0, 0);
  TraceInfo& second = traces.machine("red");
  Traces::process(second, "server", 7, 100, true);
  Traces::process(second, "another", 7, 110);
  Traces::process(second, "made up", 0, 0);
  TraceInfo& third = traces.machine("blue");
  Traces::process(third, "server", 7, 100);
  third.processes.push_back(third.processes[0]);
  third.processes[1].name = "server/1";
  third.processes[1].tid = 8;
  third.processes[1].group = ProcessId{0};
  traces.unite();
  std::vector<std::string> names;
  for (const auto& process : traces.united->info().processes) names.push_back(process.name);
  CHECK(names == std::vector<std::string>{"server", "made up", "another", "made up@red", "server@blue", "server/1"});
  CHECK(traces.united->info().processes[5].group == ProcessId{4});
  CHECK_FALSE(traces.united->info().processes[0].acquired);
}

TEST_CASE("merge: events get the union's ids, also those in their codes", "[merge]") {
  Traces traces;
  TraceInfo& red = traces.machine("red");
  Traces::process(red, "a", 1, 1);
  Traces::tcp(red, "10.0.0.1:1", "10.0.0.2:2", Seen::sender);
  red.channel_sets.push_back({ChannelId{0}});
  TraceInfo& blue = traces.machine("blue");
  Traces::process(blue, "b", 1, 1);
  Traces::process(blue, "c", 2, 1);
  Traces::tcp(blue, "10.0.0.2:2", "10.0.0.1:1", Seen::sender);
  Traces::tcp(blue, "10.0.0.1:1", "10.0.0.2:2", Seen::receiver);
  blue.channel_sets = {{}, {ChannelId{0}, ChannelId{1}}};
  blue.modules.push_back({ProcessId{1}, 1, 2, 3, "file"});
  blue.wait_causes.push_back({ProcessId{1}, WaitReason::cpu, ProcessId{0}, "", 5});
  traces.unite();
  const TraceInfo& info = traces.united->info();
  CHECK(info.filters == std::vector<std::string>{"trace 1/filter", "trace 2/filter"});
  CHECK(info.processes[2].filter == 1);
  CHECK(info.channel_sets == std::vector<std::vector<ChannelId>>{{}, {ChannelId{0}}, {ChannelId{1}, ChannelId{0}}});
  CHECK(info.modules.at(0).process == ProcessId{2});
  CHECK(info.wait_causes == std::vector<WaitCause>{{ProcessId{2}, WaitReason::cpu, ProcessId{1}, "", 5}});

  Event call;
  call.type = EventType::receive_call;
  call.process = ProcessId{1};
  call.machine = MachineId{0};
  call.code = 1;
  call.local_time.ns = 5;
  Event accept = call;
  accept.type = EventType::accept;
  accept.peer = ProcessId{0};
  accept.channel = ChannelId{0};
  accept.passed_channel = ChannelId{1};
  accept.code = ChannelId::kNone;
  Event wrong = call;
  wrong.code = 2;
  Event stranger = call;
  stranger.process = ProcessId{2};
  std::vector<Event> out;
  traces.united->remap(1, std::vector{call, accept, wrong, stranger}, out);
  REQUIRE(out.size() == 2);
  CHECK(out[0].process == ProcessId{2});
  CHECK(out[0].machine == MachineId{1});
  CHECK(out[0].code == 2);
  CHECK(out[0].local_time.ns == 5);
  CHECK(out[1].peer == ProcessId{1});
  CHECK(out[1].channel == ChannelId{1});
  CHECK(out[1].passed_channel == ChannelId{0});
  CHECK(out[1].code == ChannelId::kNone);
  CHECK(traces.united->refused_events() == 2);
}

TEST_CASE("merge: what the traces learn later, the union learns as well", "[merge]") {
  Traces traces;
  TraceInfo& red = traces.machine("red");
  Traces::process(red, "sh", 1, 1);
  traces.unite();
  const TableSizes told = TableSizes::of(red);
  Traces::process(red, "sh", 2, 2);
  Traces::tcp(red, "10.0.0.1:1", "10.0.0.1:2", Seen::sender, 7);
  traces.united->grow(0, TraceGrowth::since(told, red));
  TraceGrowth news;
  news.renamed.push_back({ProcessId{0}, "redis", "/bin/redis"});
  news.renamed.push_back({ProcessId{1}, "redis", "/bin/redis"});
  news.owned.push_back({ChannelId{0}, ProcessId{1}});
  news.ends.push_back({ChannelId{0}, false, {"10.0.0.1", 2, MachineId{0}, 0}});
  traces.united->grow(0, news);
  const TraceInfo& info = traces.united->info();
  CHECK(info.processes[0].program == "/bin/redis");
  CHECK(info.processes[0].name != info.processes[1].name);
  CHECK(info.channels[0].owner == ProcessId{1});
  CHECK(info.channels[0].receiver.machine == MachineId{0});
}

TEST_CASE("merge: properties of the run stay where the traces agree", "[merge]") {
  Traces traces;
  TraceInfo& red = traces.machine("red");
  TraceInfo& blue = traces.machine("blue");
  red.source = blue.source = "linux-seccomp";
  red.scenario = "server";
  blue.scenario = "client";
  red.placement = blue.placement = "here";
  red.seed = 3;
  blue.seed = 4;
  traces.unite();
  const TraceInfo& info = traces.united->info();
  CHECK(info.source == "linux-seccomp");
  CHECK(info.scenario == "server; client");
  CHECK(info.placement == "here");
  CHECK(info.seed == 0);
  CHECK(info.channel_sets.size() == 1);
}

TEST_CASE("merge: a union has the properties that all its traces have", "[merge]") {
  const SourceProperties simulated = {.delays_known = true, .every_arrival_metered = true, .scripted = true};
  const SourceProperties live = {.metering_takes_time = true};
  const auto united = [](const SourceProperties& first, const SourceProperties& second) {
    Traces traces;
    traces.machine("red").properties = first;
    traces.machine("blue").properties = second;
    traces.unite();
    return traces.united->info().properties;
  };
  CHECK(united(simulated, simulated) == simulated);
  CHECK(united(live, live) == live);
  CHECK(united(simulated, live) == live);
  CHECK(united(live, simulated) == live);
}

TEST_CASE("merge: properties of inputs that grow are passed on when they change", "[merge]") {
  TraceUnion joined(TraceUnion::Tables::passed_on);
  const std::size_t red = joined.add("red"), blue = joined.add("blue");
  TraceGrowth growth;
  growth.properties = SourceProperties{.delays_known = true, .scripted = true};
  joined.grow(red, growth);
  CHECK(joined.take_growth().properties == growth.properties);
  joined.grow(blue, growth);
  CHECK_FALSE(joined.take_growth().properties);
  growth.properties->scripted = false;
  joined.grow(blue, growth);
  CHECK(joined.take_growth().properties == growth.properties);
}

TEST_CASE("merge: a union whose tables are passed on remembers what is alive", "[merge]") {
  TraceUnion united(TraceUnion::Tables::passed_on);
  Traces traces;
  const TraceInfo& red = traces.machine("red");
  const std::size_t input = united.add("red");
  united.grow(input, TraceGrowth::since({}, red));
  TableSizes told = TableSizes::of(united.info());
  united.take_growth().add_to(told);
  const std::size_t before = united.remembered();
  for (std::uint32_t i = 0; i < 1000; ++i) {
    TraceInfo come;
    Traces::process(come, "sh", 100 + i, 1 + i);
    Traces::tcp(come, "10.0.0.1:" + std::to_string(i % 100 + 1), "10.0.0.2:80", Seen::both, i + 1);
    united.grow(input, TraceGrowth::since({1, 0, 0, 1, 0}, come));
    TraceGrowth gone;
    gone.ended.push_back(ProcessId{i});
    gone.closed.push_back(ChannelId{i});
    united.grow(input, gone);
    CHECK(united.remembered() == before);
  }
  TraceGrowth told_at_last = united.take_growth();
  CHECK(told_at_last.processes.size() == 1000);
  CHECK(told_at_last.channels.size() == 1000);
  CHECK(told_at_last.processes[999].name == "sh@red#999");
  CHECK(united.info().channels.empty());
}

TEST_CASE("merge: a closed channel waits for the meter at its other end", "[merge]") {
  TraceUnion united(TraceUnion::Tables::passed_on);
  Traces traces;
  TraceInfo& red = traces.machine("red");
  TraceInfo& blue = traces.machine("blue");
  Traces::tcp(red, "10.0.0.1:4000", "10.0.0.2:80", Seen::sender, 7);
  Traces::tcp(blue, "10.0.0.1:4000", "10.0.0.2:80", Seen::receiver, 8);
  const std::size_t at_red = united.add("red"), at_blue = united.add("blue");
  TraceGrowth closed;
  closed.closed.push_back(ChannelId{0});
  united.grow(at_red, TraceGrowth::since({}, red));
  united.grow(at_red, closed);
  CHECK(united.remembered() == 1);
  united.grow(at_blue, TraceGrowth::since({}, blue));
  CHECK(united.take_growth().channels.size() == 1);
  united.grow(at_blue, closed);
  CHECK(united.remembered() == 0);
}
