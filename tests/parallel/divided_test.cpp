// Commands that several workers run together print what one alone prints, byte for byte.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "filter/event_filter.hpp"
#include "parallel/commands/divided_commands.hpp"
#include "parallel/commands/divided_run.hpp"
#include "parallel/ranks/thread_ranks.hpp"
#include "parallel/reading/process_shares.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/random_system.hpp"
#include "tests/trace/trace_fixture.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_reader.hpp"
#include "trace/trace_writer.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

const std::vector<std::vector<std::string>> kCommandLines = {{"statistics"},  {"queues"},
                                                             {"clocks"},      {"causality"},
                                                             {"parallelism"}, {"parallelism", "--method", "none"},
                                                             {"predict"},     {"predict", "--search"}};

void write_trace(const std::string& directory, const Recording& recording, const TraceForm& form = {},
                 std::size_t packet_events = 40) {
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(directory, describe_events(recording.info.filters, rules), form).value();
  EventFilter filter(std::move(rules), *writer);
  filter.on_begin(recording.info);
  const std::span<const Event> events = recording.events;
  for (std::size_t i = 0; i < events.size(); i += packet_events) {
    filter.on_events(events.subspan(i, std::min(packet_events, events.size() - i)));
    writer->flush();
  }
  LossReport losses;
  losses.seen = events.size();
  filter.on_end(losses);
  REQUIRE(writer->status());
}

struct Printed {
  int status = 0;
  std::string out, err;
};

class Words {
 public:
  explicit Words(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  int argc() const { return static_cast<int>(words_.size()); }
  char** argv() { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

std::vector<std::string> words_of(const std::vector<std::string>& line, const std::string& trace) {
  std::vector<std::string> words = {"dpm"};
  words.insert(words.end(), line.begin(), line.end());
  words.insert(words.end(), {trace, "--json"});
  return words;
}

Printed alone(const std::vector<std::string>& line, const std::string& trace) {
  Words words(words_of(line, trace));
  std::ostringstream out, err;
  cli::Terminal terminal{out, err};
  const int status = cli::run_command_line(divided_commands(), words.argc(), words.argv(), terminal);
  return {status, out.str(), err.str()};
}

Printed together(std::uint32_t workers, const std::vector<std::string>& line, const std::string& trace) {
  Printed printed;
  ThreadRanks::run(workers, [&](Ranks& ranks) {
    Words words(words_of(line, trace));
    std::ostringstream out, err;
    cli::Terminal terminal{out, err};
    const int status = run_divided(ranks, divided_commands, words.argc(), words.argv(), terminal);
    if (ranks.is_first()) printed = {status, out.str(), err.str()};
  });
  return printed;
}

// Returns whether a worker had to do it alone.
bool check_same(const std::string& trace, const std::vector<std::string>& line, std::uint32_t workers) {
  const Printed one = alone(line, trace);
  Printed all = together(workers, line, trace);
  INFO("dpm " << line.front() << ' ' << trace << " with " << workers << " workers: " << all.err);
  const bool was_alone = all.err.starts_with("note: one rank");
  if (was_alone) all.err.erase(0, all.err.find('\n') + 1);
  CHECK(all.status == one.status);
  CHECK(all.out == one.out);
  CHECK(all.err == one.err);
  return was_alone;
}

Recording recording_of(std::uint64_t seed) {
  RandomShape shape;
  shape.processes = 3 + static_cast<std::uint32_t>(seed % 6);
  shape.machines = 1 + static_cast<std::uint32_t>(seed % 4);
  shape.generations = 4;
  shape.message_cpu = seed % 2 == 1;
  shape.speeds = seed % 3 == 1;
  shape.cores = seed % 5 == 1;
  shape.data = seed % 4 == 1;
  shape.created = seed % 3 == 2;
  ObviousSystem system = random_system(seed, shape);
  const auto placement = random_placement(seed, system.info);
  for (std::size_t p = 0; p < placement.size(); ++p) system.info.processes[p].machine = placement[p];
  Recording recording;
  recording.events = simulate(system, placement).events;
  recording.info = std::move(system.info);
  return recording;
}

}  // namespace

TEST_CASE("divided commands: 100 random computations give the same bytes", "[parallel]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const TemporaryFolder folder;
    const std::string trace = folder / "trace";
    write_trace(trace, recording_of(seed), {.compressed = seed % 2 == 0});
    for (const auto& line : kCommandLines) {
      if (line.size() == 2 && seed % 10 != 0) continue;  // the search is long
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
    CHECK(check_same(trace, {"statistics"}, 2));
    CHECK(check_same(trace, {"parallelism"}, 2));
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
  CHECK_FALSE(check_same(trace, {"statistics"}, 2));
  std::ifstream again(index, std::ios::binary);
  CHECK(std::string((std::istreambuf_iterator<char>(again)), {}) == written);
  again.close();
  std::filesystem::copy_file(other + "/index", index, std::filesystem::copy_options::overwrite_existing);
  CHECK(check_same(trace, {"statistics"}, 2));
  for (std::size_t at = 0; at < written.size(); at += 7) {
    std::string damaged = written;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::ofstream(index, std::ios::binary | std::ios::trunc) << damaged;
    const Printed refused = together(2, {"statistics"}, trace);
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
