// Recorded traces under the contract of every source: nothing recorded, one event, many, losses when recorded, and
// damage since.
#include <filesystem>

#include "backends/replay/replay_source.hpp"
#include "tests/contract/source_contract.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using dpm::test::TemporaryFolder;

namespace {

SourceFactory replaying(const std::string& directory) {
  return [directory] { return std::make_unique<ReplaySource>(directory); };
}

// Each test runs with a plain trace and with a compressed one.
void write(const std::string& directory, const Recording& recording) {
  const TraceForm form{.compressed = GENERATE(false, true)};
  std::vector<RuleSet> rules(recording.info.filters.size(), RuleSet::keep_all(event_layouts()));
  test::write_trace(directory, recording.info, recording.events, std::move(rules), &recording.losses, form);
}

std::size_t events_in(const std::string& directory) {
  ReplaySource source(directory);
  const auto recording = record(source);
  REQUIRE(recording.has_value());
  return recording->events.size();
}

// The largest stream file of a trace.
std::filesystem::path largest_stream(const std::string& directory) {
  std::filesystem::path largest;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/ctf")) {
    if (entry.path().filename() == "metadata") continue;
    if (largest.empty() || entry.file_size() > std::filesystem::file_size(largest)) largest = entry.path();
  }
  return largest;
}

}  // namespace

TEST_CASE("replay contract: a trace without events", "[contract][replay]") {
  const TemporaryFolder folder;
  Recording empty = client_and_server(0);
  write(folder / "trace", empty);
  CHECK(check_source_contract(replaying(folder / "trace")) == std::vector<std::string>{});
  CHECK(events_in(folder / "trace") == 0);
}

TEST_CASE("replay contract: one event", "[contract][replay]") {
  const TemporaryFolder folder;
  Recording one = client_and_server(1);
  one.events.resize(1);
  one.losses.seen = 1;
  write(folder / "trace", one);
  CHECK(check_source_contract(replaying(folder / "trace")) == std::vector<std::string>{});
  CHECK(events_in(folder / "trace") == 1);
}

TEST_CASE("replay contract: more events than fit in a packet", "[contract][replay]") {
  const TemporaryFolder folder;
  const Recording many = client_and_server(5000);
  write(folder / "trace", many);
  CHECK(check_source_contract(replaying(folder / "trace")) == std::vector<std::string>{});
  CHECK(events_in(folder / "trace") == many.events.size());
}

TEST_CASE("replay contract: live programs, whose channels are streams without a known owner", "[contract][replay]") {
  const TemporaryFolder folder;
  Recording live = told_in_bytes(client_and_server(100));
  live.info.machines[0].cores = 4;
  live.info.processes[1].group = ProcessId{0};
  live.info.modules.push_back({ProcessId{0}, 0x1000, 0x2000, 0, "/usr/bin/client"});
  live.info.wait_causes.push_back({ProcessId{1}, WaitReason::cpu, ProcessId{}, "backup", 1000});
  write(folder / "trace", live);
  CHECK(check_source_contract(replaying(folder / "trace")) == std::vector<std::string>{});
  CHECK(events_in(folder / "trace") == live.events.size());
}

TEST_CASE("replay contract: what was lost when it was recorded is still reported", "[contract][replay]") {
  const TemporaryFolder folder;
  Recording lossy = client_and_server(10);
  lossy.losses.seen += 12;
  lossy.losses.losses = {{"machine 'red' failed with 12 events in its meter buffer", 12}};
  write(folder / "trace", lossy);
  CHECK(check_source_contract(replaying(folder / "trace")) == std::vector<std::string>{});
  ReplaySource source(folder / "trace");
  CHECK(record(source)->losses.lost() == 12);
}

TEST_CASE("replay contract: a stream cut short is a loss that is counted", "[contract][replay]") {
  const TemporaryFolder folder;
  const Recording many = client_and_server(5000);
  write(folder / "trace", many);
  const auto stream = largest_stream(folder / "trace");
  std::filesystem::resize_file(stream, std::filesystem::file_size(stream) / 2 + 3);
  CHECK(check_source_contract(replaying(folder / "trace")) == std::vector<std::string>{});
  CHECK(events_in(folder / "trace") < many.events.size());
}
