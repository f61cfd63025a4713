#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/trace/babeltrace.hpp"
#include "tests/trace/trace_fixture.hpp"
#include "trace/sidecar.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

int mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777;
}

}  // namespace

TEST_CASE("trace: what is written is read back, field by field and in each process's order", "[trace]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const TemporaryFolder folder;
    const TraceInfo info = small_info(1 + seed % 4, 3 + seed, 5);
    const auto events = random_events(seed, seed * 977, info);
    const Ledger written = write_trace(folder / "trace", info, events);
    CHECK(written.kept == events.size());
    auto reader = TraceReader::open(folder / "trace").value();
    CHECK(reader.is_finished());
    const auto back = read_back(reader);
    INFO("seed " << seed);
    CHECK(same_by_process(events, back.events, info));
    CHECK(back.losses.seen == events.size());
    CHECK(back.losses.losses.empty());
    CHECK(back.losses.warnings.empty());
    CHECK(reader.info().processes.size() == info.processes.size());
    CHECK(reader.info().scenario == info.scenario);
    CHECK(reader.info().delays.remote.delivery_s.points() == info.delays.remote.delivery_s.points());
  }
}

TEST_CASE("trace: what is known of live processes is read back, and missing in older traces", "[trace]") {
  const TemporaryFolder folder;
  TraceInfo info = small_info(2, 3, 3);
  info.machines[1].cores = 8;
  info.machines[1].accepts = false;
  info.processes[1].pid = 4711;
  info.processes[1].tid = 4712;
  info.processes[1].group = ProcessId{2};
  info.processes[1].began_ns = 12'340'000'000;
  info.processes[2].acquired = true;
  info.processes[2].cgroup = "system.slice/a.service";
  info.machines[1].addresses = {"10.0.0.2", "fe80::2"};
  info.channels[1].owner = ProcessId{};
  info.channels[1].medium = ChannelMedium::tcp;
  info.channels[1].sender = {"10.0.0.1", 4321, MachineId{}, 0};
  info.channels[1].receiver = {"10.0.0.2", 80, MachineId{1}, 77};
  info.modules.push_back({ProcessId{1}, 0x7f00'0000'1000, 0x7f00'0000'2000, 4096, "/usr/lib/libc.so"});
  const std::string text = to_json(Sidecar{.finished = true, .info = info});
  const TraceInfo back = sidecar_from_json("trace.json", text).value().info;
  CHECK(back.machines[0].cores == 1);
  CHECK(back.machines[1].cores == 8);
  CHECK(back.machines[0].accepts);
  CHECK_FALSE(back.machines[1].accepts);
  CHECK(back.processes[1].pid == 4711);
  CHECK(back.processes[1].tid == 4712);
  CHECK(back.processes[1].group == ProcessId{2});
  CHECK(back.processes[0].group.is_none());
  CHECK(back.processes[1].began_ns == 12'340'000'000);
  CHECK_FALSE(back.processes[1].acquired);
  CHECK(back.processes[2].acquired);
  CHECK(back.processes[1].cgroup.empty());
  CHECK(back.processes[2].cgroup == "system.slice/a.service");
  CHECK(back.machines[0].addresses.empty());
  CHECK(back.machines[1].addresses == info.machines[1].addresses);
  CHECK(back.channels[0].medium == ChannelMedium::unknown);
  CHECK(back.channels[1].medium == ChannelMedium::tcp);
  CHECK(back.channels[1].sender == info.channels[1].sender);
  CHECK(back.channels[1].receiver == info.channels[1].receiver);
  CHECK(back.channels[1].owner.is_none());
  for (std::size_t i = 0; i < 3; ++i) CHECK(back.channels[i].kind == static_cast<ChannelKind>(i));
  REQUIRE(back.modules.size() == 1);
  CHECK(back.modules[0].process == ProcessId{1});
  CHECK(back.modules[0].start == 0x7f00'0000'1000);
  CHECK(back.modules[0].end == 0x7f00'0000'2000);
  CHECK(back.modules[0].file_offset == 4096);
  CHECK(back.modules[0].path == "/usr/lib/libc.so");

  const auto refused = [&](const std::string& what, const std::string& instead) {
    std::string damaged = text;
    damaged.replace(damaged.find(what), what.size(), instead);
    return sidecar_from_json("trace.json", damaged).error().what;
  };
  CHECK(refused("\"cores\": 8", "\"cores\": 0") == "trace.json: machine 'm1' has no cores");
  CHECK(refused("\"datagram\"", "\"pigeon\"") == "trace.json: there is no kind of channel 'pigeon'");
  CHECK(refused("\"group\": 2", "\"group\": 3") == "trace.json: process 3 is not in its table of 3");
  CHECK(refused("\"tcp\"", "\"rat\"") == "trace.json: there is no medium 'rat'");
  CHECK(refused("4321", "65536") == "trace.json: there is no port 65536");
  CHECK(refused("    1,\n    77", "2, 77") == "trace.json: machine 2 is not in its table of 2");

  // Traces of before these were known have none of the keys.
  const std::string older = to_json(Sidecar{.finished = true, .info = TraceInfo{.machines = {{"red", 2}}}});
  for (const auto* key :
       {"cores", "addresses", "pid", "group", "began_ns", "acquired", "cgroup", "kind", "medium", "modules"})
    CHECK(older.find(key) == std::string::npos);
}

TEST_CASE("trace: a number that is negative, fractional or too large for its place is refused", "[trace]") {
  const std::string text = to_json(Sidecar{.finished = true, .info = TraceInfo{.seed = 4711}});
  for (const char* number : {"-1", "2.5", "-1e300", "1e300", "18446744073709551616"}) {
    INFO(number);
    std::string damaged = text;
    damaged.replace(damaged.find("4711"), 4, number);
    CHECK(!sidecar_from_json("trace.json", damaged));
  }
}

TEST_CASE("trace: the properties of the source are read back", "[trace]") {
  TraceInfo info{.source = "sim", .machines = {{"red", 2}}};
  for (int set = 0; set < 16; ++set) {
    info.properties = {(set & 1) != 0, (set & 2) != 0, (set & 4) != 0, (set & 8) != 0};
    const auto back = sidecar_from_json("trace.json", to_json(Sidecar{.info = info})).value();
    CHECK(back.info.properties == info.properties);
  }
}

TEST_CASE("trace: in a trace that does not state them, the properties follow from the source", "[trace]") {
  const auto properties_of = [](const std::string& source, const std::string& delays) {
    TraceInfo info{.source = source, .machines = {{"red", 2}}};
    info.delays.name = delays;
    std::string text = to_json(Sidecar{.info = info});
    const std::string stated = "\"properties\": []";
    text.replace(text.find(stated), stated.size(), "\"unknown\": []");
    return sidecar_from_json("trace.json", text).value().info.properties;
  };
  const SourceProperties simulated = {.delays_known = true, .every_arrival_metered = true, .scripted = true};
  CHECK(properties_of("sim", "demos-vax") == simulated);
  CHECK(properties_of("sim", "zero") == simulated);
  CHECK(properties_of("linux-seccomp", "zero") == SourceProperties{.metering_takes_time = true});
  CHECK(properties_of("meter messages+linux-seccomp", "here") ==
        SourceProperties{.delays_known = true, .metering_takes_time = true});
  CHECK(properties_of("meter messages", "zero") == SourceProperties{.every_arrival_metered = true});
}

TEST_CASE("trace: babeltrace2 reads every record of every stream", "[trace]") {
  const TemporaryFolder folder;
  TraceInfo info = small_info(3, 9, 5);
  info.filters = {"first", "second"};
  for (std::size_t i = 0; i < info.processes.size(); ++i) info.processes[i].filter = i % 2;
  const auto events = random_events(1, 20'000, info);
  std::vector<RuleSet> rules;
  rules.push_back(
      RuleSet::compile("first", "type=Send, pc=#*; type=Receive; type=CreatePath", event_layouts()).value());
  rules.push_back(RuleSet::keep_all(event_layouts()));
  const Ledger ledger = write_trace(folder / "trace", info, events, std::move(rules));
  CHECK(ledger.balanced());
  CHECK(ledger.filtered > 0);
  const auto lines = babeltrace(folder / "trace");
  CHECK(lines.size() == ledger.kept);
  std::size_t sends = 0;
  for (const auto& line : lines) sends += line.find("name = SEND,") != std::string::npos;
  CHECK(sends == static_cast<std::size_t>(std::count_if(
                     events.begin(), events.end(), [](const Event& event) { return event.type == EventType::send; })));
}

TEST_CASE("trace: babeltrace2 shows fields by their names, values and bases", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 2, 1);
  Event event;
  event.local_time.ns = 5'000'000'012;
  event.proc_time_ns = 77;
  event.pc = 0xabc;
  event.process.value = 1;
  event.peer.value = 0;
  event.channel.value = 0;
  event.machine.value = 0;
  event.length_bytes = 1024;
  write_trace(folder / "trace", info, std::span(&event, 1));
  const auto lines = babeltrace(folder / "trace");
  REQUIRE(lines.size() == 1);
  for (const char* expected : {"SEND", "time = 5000000012", "procTime = 77", "pc = 0xABC", "msgLength = 1024",
                               "fromTask = ( \"p1\" : container = 1 )", "toTask = ( \"p0\" : container = 0 )",
                               "channel = ( \"c0\" : container = 0 )", "machine = ( \"m0\" : container = 0 )",
                               "passLink = ( \"none\" : container = 4294967295 )", "5.000000012"})
    CHECK_THAT(lines[0], Catch::Contains(expected));
}

TEST_CASE("trace: a directory that exists is never written into", "[trace]") {
  const TemporaryFolder folder;
  const auto rules = RuleSet::keep_all(event_layouts());
  const auto description = describe_events({"filter"}, {rules});
  {
    const auto first = TraceWriter::create(folder / "trace", description);
    CHECK(first);
  }
  const auto second = TraceWriter::create(folder / "trace", description);
  REQUIRE_FALSE(second);
  CHECK_THAT(second.error().what,
             Catch::EndsWith("/trace exists already: name a directory that does not, or remove this one"));
}

TEST_CASE("trace: files are for their owner only", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 2, 1);
  write_trace(folder / "trace", info, random_events(1, 10, info));
  CHECK(mode_of(folder / "trace") == 0700);
  CHECK(mode_of(folder / "trace/ctf") == 0700);
  for (const char* file : {"trace.json", "ctf/metadata", "ctf/machine_0_filter_0"})
    CHECK(mode_of(folder / "trace/" + file) == 0600);
}

TEST_CASE("trace: the same events give the same bytes", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(2, 4, 3);
  const auto events = random_events(3, 5000, info);
  write_trace(folder / "a", info, events);
  write_trace(folder / "b", info, events);
  for (const char* file : {"trace.json", "ctf/metadata", "ctf/machine_0_filter_0", "ctf/machine_1_filter_0"}) {
    const std::string command = fmt::format("cmp '{}{}' '{}{}'", folder / "a/", file, folder / "b/", file);
    CHECK(std::system(command.c_str()) == 0);
  }
}

TEST_CASE("trace: discarded fields read as nothing, and the reader names them", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(2, 4, 3);
  const auto events = random_events(4, 3000, info);
  std::vector<RuleSet> rules = {
      RuleSet::compile("rules", "type=Send, procTime=#*, channel=#*, machine=#*\nmachine=*", event_layouts()).value()};
  write_trace(folder / "trace", info, events, std::move(rules));
  auto expected = events;
  for (auto& event : expected)
    if (event.type == EventType::send) {
      event.proc_time_ns = 0;
      event.channel = {};
    }
  auto reader = TraceReader::open(folder / "trace").value();
  const auto back = read_back(reader);
  CHECK(same_by_process(expected, back.events, info));  // the machine is known from the stream
  REQUIRE(reader.missing_fields().size() == 3);
  CHECK(reader.missing_fields()[0] == MissingField{"SEND", "procTime", "filter"});
  CHECK_THAT(back.losses.warnings.at(0),
             Catch::Equals("field procTime of SEND was discarded by the rules of filter 'filter'"));
}

TEST_CASE("trace: a field that its source does not measure is not a warning", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(2, 4, 3);
  RuleSet everything = RuleSet::keep_all(event_layouts());
  RuleSet some = RuleSet::compile("rules", "type=Send, pc=#*\nmachine=*", event_layouts()).value();
  for (RuleSet* rules : {&everything, &some})
    for (const char* field : {"readyTime", "diskTime"}) rules->discard(event_layouts(), field);
  write_trace(folder / "everything", info, random_events(6, 100, info), {everything});
  write_trace(folder / "some", info, random_events(6, 100, info), {some});
  auto kept = TraceReader::open(folder / "everything").value(), filtered = TraceReader::open(folder / "some").value();
  CHECK(read_back(kept).losses.warnings.empty());
  CHECK(kept.missing_fields().empty());
  REQUIRE(filtered.missing_fields().size() == 1);
  CHECK(filtered.missing_fields()[0] == MissingField{"SEND", "pc", "filter"});
}

TEST_CASE("trace: version 1 has no times of waits, and is read as a trace that did not measure them", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(2, 4, 3);
  auto events = random_events(6, 2000, info);
  std::erase_if(events, [](const Event& event) { return event.type == EventType::summary; });  // since version 4
  RuleSet rules = RuleSet::keep_all(program_event_layouts());
  for (const char* field : {"readyTime", "diskTime"}) rules.discard(program_event_layouts(), field);
  write_trace(folder / "trace", info, events, {rules});
  // What the writer of version 1 wrote: the same bytes, and layouts without these fields.
  const std::string path = folder / "trace/trace.json";
  auto json = nlohmann::ordered_json::parse(std::ifstream(path));
  CHECK(json["version"] == 2);
  json["version"] = 1;
  for (auto& layout : json["layouts"]) {
    auto& fields = layout["fields"];
    fields.erase(fields.end() - 2, fields.end());
  }
  for (auto& filter : json["filters"])
    for (auto& record : filter["classes"]) record["discarded"] = nlohmann::ordered_json::array();
  std::ofstream(path) << json.dump();
  auto expected = events;
  for (auto& event : expected) event.ready_time_ns = event.disk_time_ns = kNotMeasured;
  auto reader = TraceReader::open(folder / "trace").value();
  CHECK(same_by_process(expected, read_back(reader).events, info));
  json["version"] = 5;
  std::ofstream(path) << json.dump();
  CHECK(TraceReader::open(folder / "trace").error().what.find("version 5") != std::string::npos);
}

TEST_CASE("trace: losses of the source are in the ledger and come back in the report", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(2, 4, 3);
  const auto events = random_events(5, 100, info);
  const LossReport losses{108, {{"machine 'm1' failed with 6 events in its meter buffer", 6}}, {"look here"}};
  const Ledger ledger = write_trace(folder / "trace", info, events, {RuleSet::keep_all(event_layouts())}, &losses);
  CHECK(ledger.seen == 108);
  CHECK(ledger.lost == 8);
  auto reader = TraceReader::open(folder / "trace").value();
  const auto back = read_back(reader);
  CHECK(back.losses.seen == 108);
  CHECK(back.losses.lost() == 8);
  CHECK(back.losses.losses.at(0).reason == losses.losses[0].reason);
  CHECK(back.losses.warnings == std::vector<std::string>{"look here"});
}

TEST_CASE("trace: the first record of a machine does not make trace.json be written again", "[trace]") {
  TemporaryFolder folder;
  const TraceInfo info = small_info(100, 100, 100);
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(folder / "trace", describe_events(info.filters, rules)).value();
  EventFilter filter(std::move(rules), *writer);
  filter.on_begin(info);
  const auto number = [&] {  // another one for each file that takes its place
    struct stat file = {};
    REQUIRE(::stat((folder / "trace/trace.json").c_str(), &file) == 0);
    return file.st_ino;
  };
  const auto first = number();
  Random random = Random::stream(1, "events");
  Event event = random_event(random, info);
  for (std::size_t machine = 0; machine < info.machines.size(); ++machine) {
    event.process.value = static_cast<std::uint32_t>(machine);
    event.machine = {static_cast<std::uint16_t>(machine)};
    filter.on_events({&event, 1});
    writer->flush();
    CHECK(number() == first);
  }
  LossReport losses;
  losses.seen = info.machines.size();
  filter.on_end(losses);
  CHECK(number() != first);
}
