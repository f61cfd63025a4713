// Commands that several workers run together print what one alone prints, byte for byte.
#include <filesystem>
#include <fstream>

#include "answers/parallel/reading/process_shares.hpp"
#include "tests/answers/parallel/divided_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"
#include "trace/trace_reader.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

const std::vector<std::vector<std::string>> kCommandLines = {
    {"statistics", "--json"},  {"queues", "--json"},
    {"clocks", "--json"},      {"causality", "--json"},
    {"parallelism", "--json"}, {"parallelism", "--method", "none", "--json"},
    {"predict", "--json"},     {"predict", "--search", "--json"}};

}  // namespace

TEST_CASE("divided commands: 100 random computations give the same bytes", "[parallel]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const TemporaryFolder folder;
    const std::string trace = folder / "trace";
    write_trace(trace, recording_of(seed), {.compressed = seed % 2 == 0});
    for (const auto& line : kCommandLines) {
      if (line[1] == "--search" && seed % 10 != 0) continue;  // the search is long
      CHECK_FALSE(check_same(trace, line, 2 + static_cast<std::uint32_t>(seed % 3)));
    }
  }
}

TEST_CASE("divided commands: live streams of bytes give the same bytes", "[parallel]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const TemporaryFolder folder;
    const std::string trace = folder / "trace";
    write_trace(trace, reordered_between_processes(
                           told_in_bytes(client_and_server(40 + static_cast<std::uint32_t>(seed))), seed));
    for (const auto& line : kCommandLines) CHECK_FALSE(check_same(trace, line, 2));
  }
}

TEST_CASE("divided commands: a process that moved is for one worker alone", "[parallel]") {
  const TemporaryFolder folder;
  const std::string trace = folder / "trace";
  Recording recording = recording_of(7);
  for (std::size_t i = recording.events.size() / 2; i < recording.events.size(); ++i)
    if (recording.events[i].process.value == 1) recording.events[i].machine = MachineId{0};
  recording.info.processes[1].machine = MachineId{1};
  for (std::size_t i = 0; i < recording.events.size() / 2; ++i)
    if (recording.events[i].process.value == 1) recording.events[i].machine = MachineId{1};
  write_trace(trace, recording);
  for (const auto& line : kCommandLines) CHECK(check_same(trace, line, 2));
}

TEST_CASE("divided commands: a damaged or missing stream is for one worker alone, and counted as one counts it",
          "[parallel]") {
  for (const auto [is_missing, is_compressed] : {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
    const TemporaryFolder folder;
    const std::string trace = folder / "trace";
    write_trace(trace, recording_of(5), {.compressed = is_compressed});
    const std::string stream = trace + "/ctf/machine_0_filter_0";
    if (is_missing) {
      std::filesystem::remove(stream);
    } else {
      std::fstream file(stream, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(200);
      file.put('\x55');
    }
    CHECK(check_same(trace, {"statistics", "--json"}, 2));
    CHECK(check_same(trace, {"parallelism", "--json"}, 2));
  }
}

TEST_CASE(
    "divided commands: an index that is damaged is refused, one that is missing is made, one of another trace is not "
    "used",
    "[parallel]") {
  const TemporaryFolder folder;
  const std::string trace = folder / "trace", other = folder / "other";
  write_trace(trace, recording_of(3));
  write_trace(other, recording_of(4));
  const std::string index = trace + "/index";
  REQUIRE(std::filesystem::exists(index));
  std::ifstream file(index, std::ios::binary);
  const std::string written((std::istreambuf_iterator<char>(file)), {});
  file.close();
  std::filesystem::remove(index);
  CHECK_FALSE(check_same(trace, {"statistics", "--json"}, 2));
  std::ifstream again(index, std::ios::binary);
  CHECK(std::string((std::istreambuf_iterator<char>(again)), {}) == written);
  again.close();
  std::filesystem::copy_file(other + "/index", index, std::filesystem::copy_options::overwrite_existing);
  CHECK(check_same(trace, {"statistics", "--json"}, 2));
  for (std::size_t at = 0; at < written.size(); at += 7) {
    std::string damaged = written;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::ofstream(index, std::ios::binary | std::ios::trunc) << damaged;
    const Printed refused = together(2, {"statistics", "--json"}, trace);
    CHECK(refused.status == 2);
    CHECK(refused.out.empty());
    CHECK(refused.err.find("index") != std::string::npos);
  }
}

TEST_CASE("process shares: parts are even, and threads stay with their process", "[parallel]") {
  TraceInfo info;
  for (std::uint32_t p = 0; p < 20; ++p) {
    ProcessInfo process;
    process.machine = MachineId{static_cast<std::uint16_t>(p % 2)};
    if (p >= 10) process.group = ProcessId{p - 10};
    info.processes.push_back(process);
  }
  const auto part_of = divide_processes(info, std::vector<std::uint64_t>(20, 100), 4);
  std::vector<std::uint64_t> events(4);
  for (std::uint32_t p = 0; p < 20; ++p) events.at(part_of[p]) += 100;
  for (const std::uint64_t in_part : events) CHECK((in_part >= 400 && in_part <= 600));
  for (std::uint32_t p = 10; p < 20; ++p) CHECK(part_of[p] == part_of[p - 10]);
  CHECK(divide_processes(TraceInfo(), {}, 3).empty());
}

TEST_CASE("process shares: machines are not divided where parts are even without that", "[parallel]") {
  TraceInfo info;
  const std::vector<std::uint64_t> records = {14, 14, 14, 14, 11, 11, 11, 11};
  for (std::uint16_t p = 0; p < 8; ++p) {
    ProcessInfo process;
    process.machine = MachineId{static_cast<std::uint16_t>(p / 2)};
    info.processes.push_back(process);
  }
  const auto part_of = divide_processes(info, records, 2);
  std::vector<std::uint64_t> events(2);
  for (std::uint32_t p = 0; p < 8; ++p) events.at(part_of[p]) += records[p];
  CHECK(events == std::vector<std::uint64_t>{50, 50});
  for (std::uint32_t p = 0; p < 8; p += 2) CHECK(part_of[p] == part_of[p + 1]);
  const auto in_three = divide_processes(info, records, 3);
  std::vector<std::uint64_t> of_three(3);
  for (std::uint32_t p = 0; p < 8; ++p) of_three.at(in_three[p]) += records[p];
  for (const std::uint64_t in_part : of_three) CHECK((in_part >= 20 && in_part <= 45));
}

TEST_CASE("part of a trace: a stretch of time is read from its packets only", "[parallel]") {
  const TemporaryFolder folder;
  const std::string trace = folder / "trace";
  const Recording recording = recording_of(9);
  write_trace(trace, recording, {}, 10);
  auto reader = TraceReader::open(trace).value();
  const auto index = PacketIndex::read(trace).value().value();
  const LocalTime from = recording.events[recording.events.size() / 3].local_time;
  const LocalTime to = recording.events[recording.events.size() / 2].local_time;
  std::uint64_t expected = 0;
  for (const Event& event : recording.events) expected += from <= event.local_time && event.local_time <= to ? 1 : 0;
  const auto found = reader.read_part(index,
                                      {[](ProcessId) { return true; },
                                       [&](MachineId) {
                                         return TimeSpan{from, to};
                                       }},
                                      [](std::span<const Event>) {});
  REQUIRE(found.has_value());
  CHECK(*found == expected);
}
