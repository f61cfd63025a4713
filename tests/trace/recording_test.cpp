// A trace during its recording.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"
#include "trace/packet_index.hpp"
#include "trace/recording_lock.hpp"
#include "trace/trace_reader.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

struct Recording {
  TemporaryFolder folder;
  TraceInfo info = small_info(1, 2, 2);
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  std::string path = folder / "trace";
  std::unique_ptr<TraceWriter> writer = TraceWriter::create(path, describe_events(info.filters, rules)).value();
  EventFilter filter{std::move(rules), *writer};
};

}  // namespace

TEST_CASE("trace: a directory shows whether a process is recording into it", "[trace]") {
  Recording recording;
  CHECK(is_being_recorded(recording.path));
  recording.filter.on_begin(recording.info);
  CHECK(is_being_recorded(recording.path));
  recording.filter.on_end({});
  CHECK_FALSE(is_being_recorded(recording.path));
  CHECK_FALSE(is_being_recorded(recording.folder / "nowhere"));
}

TEST_CASE("trace: a recorder that was killed records no more", "[trace]") {
  const TemporaryFolder folder;
  const pid_t recorder = ::fork();
  REQUIRE(recorder >= 0);
  if (recorder == 0) {
    std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
    const auto writer = TraceWriter::create(folder / "trace", describe_events({"filter"}, rules));
    ::_exit(writer && is_being_recorded(folder / "trace") ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(recorder, &status, 0) == recorder);
  CHECK(status == 0);
  CHECK_FALSE(is_being_recorded(folder / "trace"));
}

TEST_CASE("trace: one that is being recorded is reported as such, and read up to its last checkpoint", "[trace]") {
  Recording recording;
  recording.filter.on_begin(recording.info);
  const auto events = random_events(3, 50, recording.info);
  recording.filter.on_events(events);
  recording.info.processes.push_back({"late", "program", MachineId{0}});
  recording.writer->checkpoint();
  recording.filter.on_events(events);  // in memory only

  auto reader = TraceReader::open(recording.path).value();
  CHECK_FALSE(reader.is_finished());
  REQUIRE(reader.info().processes.size() == 3);
  CHECK(reader.info().processes[2].name == "late");
  const auto back = read_back(reader);
  CHECK(back.events.size() == 50);
  CHECK_THAT(back.losses.warnings.at(0), Catch::Contains("still being recorded"));

  recording.filter.on_end({});
  auto whole = TraceReader::open(recording.path).value();
  CHECK(whole.is_finished());
  CHECK(read_back(whole).events.size() == 100);
}

TEST_CASE("trace: one at rest is complete, and no longer when more has come", "[trace]") {
  Recording recording;
  recording.filter.on_begin(recording.info);
  const auto events = random_events(3, 50, recording.info);
  recording.filter.on_events(events);
  recording.writer->checkpoint(recording.filter.ledger_after({.seen = 52, .losses = {{"a full disk", 2}}}));

  auto reader = TraceReader::open(recording.path).value();
  auto back = read_back(reader);
  CHECK(back.events.size() == 50);
  CHECK(back.losses.warnings.empty());
  CHECK(reader.ledger().seen == 52);
  CHECK(reader.ledger().lost == 2);

  recording.filter.on_events(events);
  recording.writer->flush();
  auto later = TraceReader::open(recording.path).value();
  back = read_back(later);
  CHECK(back.events.size() == 100);
  CHECK_THAT(back.losses.warnings.at(0), Catch::Contains("still being recorded"));
}

TEST_CASE("trace: an output directory stands for the trace in it", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 2, 2);
  std::filesystem::create_directory(folder / "out");
  const auto events = random_events(4, 20, info);
  write_trace(folder / "out/trace", info, events);
  auto reader = TraceReader::open(folder / "out").value();
  CHECK(read_back(reader).events.size() == 20);
  CHECK(trace_directory(folder / "out") == folder / "out/trace");
  CHECK(trace_directory(folder / "out/trace") == folder / "out/trace");
}

TEST_CASE("trace: where other threads have taken all descriptors, records are written all the same", "[trace]") {
  Recording recording;
  recording.filter.on_begin(recording.info);
  rlimit usual = {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual) == 0);
  const rlimit few{64, usual.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  std::vector<int> taken;
  for (int fd = ::dup(STDERR_FILENO); fd >= 0; fd = ::dup(STDERR_FILENO)) taken.push_back(fd);
  recording.filter.on_events(random_events(3, 50, recording.info));
  recording.writer->checkpoint();
  CHECK(recording.writer->status());
  recording.filter.on_end({});
  for (const int fd : taken) ::close(fd);
  CHECK(::setrlimit(RLIMIT_NOFILE, &usual) == 0);
  auto reader = TraceReader::open(recording.path).value();
  CHECK(reader.is_finished());
  CHECK(read_back(reader).events.size() == 50);
}

TEST_CASE("trace: a trace.json that could not be written is one that is written later", "[trace]") {
  Recording recording;
  recording.filter.on_begin(recording.info);
  std::filesystem::rename(recording.path, recording.folder / "elsewhere");
  recording.writer->checkpoint();
  CHECK_FALSE(recording.writer->status());
  std::filesystem::rename(recording.folder / "elsewhere", recording.path);
  recording.filter.on_end({});
  CHECK(recording.writer->status());
  CHECK(TraceReader::open(recording.path).value().is_finished());
}

TEST_CASE("trace: the index that a recorder writes in parts is the one that is made by reading", "[trace]") {
  Recording recording;
  recording.filter.on_begin(recording.info);
  for (std::uint64_t part = 0; part < 200; ++part) {  // of many small packets
    recording.filter.on_events(random_events(part, 50, recording.info));
    recording.writer->flush();
  }
  const std::string parts = recording.path + "/index_parts.new";
  CHECK(std::filesystem::exists(parts));
  recording.filter.on_end({});
  CHECK_FALSE(std::filesystem::exists(parts));
  const std::string written = PacketIndex::read(recording.path).value().value().to_bytes();
  std::filesystem::remove(recording.path + "/" + kPacketIndexName);
  CHECK(TraceReader::open(recording.path).value().index().value().to_bytes() == written);
}

TEST_CASE("trace: a recorder whose index cannot be kept writes none", "[trace]") {
  Recording recording;
  recording.filter.on_begin(recording.info);
  std::filesystem::create_directory(recording.path + "/index_parts.new");
  for (std::uint64_t part = 0; part < 200; ++part) {
    recording.filter.on_events(random_events(part, 50, recording.info));
    recording.writer->flush();
  }
  recording.filter.on_end({});
  CHECK_FALSE(PacketIndex::read(recording.path).value().has_value());
  auto reader = TraceReader::open(recording.path).value();
  CHECK(reader.is_finished());
  CHECK(read_back(reader).events.size() == 200 * 50);
}
