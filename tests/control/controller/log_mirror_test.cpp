// A copy of a log that grows: whenever its pieces come, a viewer of the copy sees what one of the log sees.
#include "control/controller/log_mirror.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"
#include "trace/packet_index.hpp"
#include "trace/recording_lock.hpp"
#include "trace/trace_follower.hpp"

using namespace dpm;
using namespace dpm::control;
using namespace dpm::test;
namespace fs = std::filesystem;

namespace {

std::map<std::string, std::string> files_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path().lexically_relative(folder)] = {std::istreambuf_iterator<char>(file),
                                                      std::istreambuf_iterator<char>()};
  }
  return files;
}

std::uint64_t bytes_of(const std::map<std::string, std::string>& files) {
  std::uint64_t bytes = 0;
  for (const auto& [name, text] : files) bytes += text.size();
  return bytes;
}

// What the copy of a trace has: the metadata is for other programs, and the index for parts of a trace that is not on a page.
std::map<std::string, std::string> copied_files(const std::string& trace) {
  auto files = files_of(trace);
  files.erase("ctf/metadata");
  files.erase(kPacketIndexName);
  return files;
}

// As a machine with small pieces answers. What it has told as the identity of a file stays while the file does.
class Machine {
 public:
  explicit Machine(std::string log) : log_(std::move(log)) {}

  void step(LogMirror& mirror, bool has_ended) {
    if (mirror.is_round_over()) mirror.begin_round(has_ended ? std::optional<std::string>("") : std::nullopt);
    const auto wanted = mirror.wanted();
    if (wanted.file.empty()) {
      REQUIRE(mirror.take(state()));
      return;
    }
    std::ifstream file(log_ + "/" + wanted.file, std::ios::binary);
    if (!file) return mirror.abandon_round();
    constexpr std::size_t kPieceBytes = 20'000;
    std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    LogPiece piece{bytes.substr(std::min<std::size_t>(wanted.offset, bytes.size()), kPieceBytes), false,
                   identity_of(wanted.file, bytes.size())};
    piece.last = wanted.offset + piece.bytes.size() >= bytes.size();
    given_bytes += piece.bytes.size();
    const auto taken = mirror.take(piece);
    INFO((taken ? "" : taken.error().what));
    REQUIRE(taken);
  }

  std::uint64_t given_bytes = 0;

 private:
  LogState state() {
    LogState state;
    for (const auto& [name, bytes] : files_of(log_))
      state.files.push_back({name, bytes.size(), identity_of(name, bytes.size())});
    return state;
  }
  std::uint64_t identity_of(const std::string& name, std::size_t size_bytes) {
    auto& [last_inode, last_size, identity] = known_[name];
    const auto now = name.ends_with("names.jsonl") ? names_inode(name) : 1;
    if (now != last_inode || size_bytes < last_size) ++identity;
    last_inode = now;
    last_size = size_bytes;
    return identity;
  }
  std::uint64_t names_inode(const std::string& name) const {
    struct stat status {};
    return ::stat((log_ + "/" + name).c_str(), &status) == 0 ? status.st_ino : 0;
  }

  std::string log_;
  std::map<std::string, std::tuple<std::uint64_t, std::size_t, std::uint64_t>> known_;
};

}  // namespace

TEST_CASE("log mirror: a viewer of the copy sees the events of the log, whenever both grow", "[controller]") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::size_t round_bytes_max = seed % 2 == 0 ? LogMirror::kRoundBytesMax : 30'000;
    INFO("seed " << seed);
    Random random(seed);
    TemporaryFolder folder;
    const std::string log = folder / "log", copy = folder / "copy";
    fs::create_directory(log);
    fs::create_directory(copy);
    TraceInfo info = small_info(3, 7, 9);
    std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
    auto writer = TraceWriter::create(log + "/trace", describe_events({"filter"}, rules)).value();
    EventFilter filter(std::move(rules), *writer);
    filter.on_begin(info);
    const auto events = random_events(seed, 5000, info);
    LogMirror mirror(copy, round_bytes_max);
    Machine machine(log);
    std::optional<TraceFollower> viewer;
    std::vector<Event> seen;
    const auto look = [&] {
      if (!viewer && mirror.is_shown()) viewer = TraceFollower::open(copy).value();
      if (!viewer) return;
      viewer->poll([&](std::span<const Event> batch) { seen.insert(seen.end(), batch.begin(), batch.end()); }, 1000);
      CHECK(viewer->ledger().lost == 0);
    };
    for (std::size_t at = 0; at < events.size();) {
      const std::size_t count = std::min<std::size_t>(1 + random.below(900), events.size() - at);
      filter.on_events(std::span(events).subspan(at, count));
      at += count;
      if (random.chance(.5)) writer->checkpoint();
      for (std::uint64_t steps = random.below(15); steps > 0; --steps) {
        machine.step(mirror, false);
        look();
      }
      if (viewer) REQUIRE(is_being_recorded(copy));
    }
    filter.on_end({.seen = events.size()});
    for (int i = 0; i < 1000 && !mirror.is_complete(); ++i) {
      machine.step(mirror, true);
      look();
    }
    REQUIRE(mirror.is_complete());
    while (!viewer->is_over()) look();
    CHECK_FALSE(viewer->is_cut_off());
    CHECK(same_by_process(seen, events, info));
    const auto in_log = copied_files(log + "/trace");
    CHECK(files_of(copy) == in_log);
    CHECK(machine.given_bytes < 3 * bytes_of(in_log));
  }
}

namespace {

// A recorder with a window: a process comes with each event, and goes.
struct ComeAndGo {
  static constexpr std::int64_t kWindow = 800;

  explicit ComeAndGo(const std::string& log) {
    fs::create_directory(log);
    std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
    writer = TraceWriter::create(log + "/trace", describe_events({"filter"}, rules),
                                 {TraceWindow{{kWindow}, [this] { return now_ns; }}})
                 .value();
    filter = std::make_unique<EventFilter>(std::move(rules), *writer);
    first.source = "test";
    for (const auto* name : {"here", "there"}) first.machines.push_back({name, 1});
    filter->on_begin(first);
  }
  static std::string name(std::uint64_t number) { return fmt::format("client {} {}", number, std::string(100, 'x')); }

  void come_and_go(std::int64_t at_ns) {
    now_ns = at_ns;
    const auto number = static_cast<std::uint32_t>(given++);
    const MachineId machine{static_cast<std::uint16_t>(number / 100 % 2)};
    TraceGrowth coming, going;
    coming.processes.push_back({name(number), "client", machine, 0, true, number + 1, number + 1});
    writer->on_growth(coming);
    Event event;
    event.type = EventType::start_process;
    event.process.value = number;
    event.machine = machine;
    event.pc = number;
    event.local_time.ns = at_ns;
    filter->on_events(std::span(&event, 1));
    going.ended.push_back({number});
    writer->on_growth(going);
  }

  std::int64_t now_ns = 0;
  std::uint64_t given = 0;
  TraceInfo first;
  std::unique_ptr<TraceWriter> writer;
  std::unique_ptr<EventFilter> filter;
};

}  // namespace

TEST_CASE(
    "log mirror: events of a recording with a window have no other names in the copy, which grows no more than it",
    "[controller]") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    TemporaryFolder folder;
    const std::string log = folder / "log", copy = folder / "copy";
    fs::create_directory(copy);
    ComeAndGo recording(log);
    LogMirror mirror(copy, 20'000);
    Machine machine(log);
    std::optional<TraceFollower> viewer;
    std::uint64_t seen = 0, misnamed = 0;
    const auto look = [&] {
      if (!viewer && mirror.is_shown()) viewer = TraceFollower::open(copy).value();
      if (!viewer) return;
      const auto take = [&](std::span<const Event> batch) {
        for (const Event& event : batch)
          misnamed += viewer->info().processes[event.process.value].name != ComeAndGo::name(event.pc);
        seen += batch.size();
      };
      viewer->poll(take, 1000);
      REQUIRE(viewer->ledger().lost == 0);
    };
    std::int64_t now_ns = 0;
    std::uint64_t most_bytes = 0;
    for (int i = 0; i < 3000; ++i) {
      now_ns += static_cast<std::int64_t>(random.below(20));
      recording.come_and_go(now_ns);
      if (random.chance(.02)) recording.writer->checkpoint();
      for (std::uint64_t steps = random.below(4); steps > 0; --steps) machine.step(mirror, false);
      look();
      if (i % 100 == 0) most_bytes = std::max(most_bytes, bytes_of(files_of(copy)));
    }
    recording.filter->on_end({.seen = recording.given});
    for (int i = 0; i < 1000 && !mirror.is_complete(); ++i) machine.step(mirror, true);
    REQUIRE(mirror.is_complete());
    while (!viewer->is_over()) look();
    CHECK(seen > 1000);
    CHECK(misnamed == 0);
    CHECK(files_of(copy) == copied_files(log + "/trace"));
    CHECK(most_bytes < 400'000);  // of a million that were written
  }
}

TEST_CASE("log mirror: what a machine may not answer is refused, and nothing is written elsewhere", "[controller]") {
  TemporaryFolder folder;
  const auto fresh = [&](const std::string& name) {
    fs::create_directory(folder / name);
    auto mirror = std::make_unique<LogMirror>(folder / name, 1000);
    mirror->begin_round({});
    return mirror;
  };
  CHECK_FALSE(fresh("file")->take(LogState{{{".", 10, 1}}}));
  CHECK_FALSE(fresh("many")->take(LogState{std::vector<LogFile>(20'000, LogFile{"x", 1, 1})}));
  const auto none = fresh("none");
  CHECK(none->take(LogState{{{"notes", 10, 1}}}));
  CHECK(none->is_round_over());

  const auto endless = fresh("endless");
  REQUIRE(endless->take(LogState{{{"trace.json", 10, 1}}}));
  CHECK_FALSE(endless->take(LogPiece{"", false}));

  const auto senseless = fresh("senseless");
  Result<void> taken;
  for (int i = 0; i < 10 && taken; ++i) {
    REQUIRE(senseless->take(LogState{{{"trace.json", 10, 1}}}));
    taken = senseless->take(LogPiece{"{}", true});
    if (taken) senseless->begin_round({});
  }
  CHECK_FALSE(taken);

  const auto names = fresh("names");
  REQUIRE(names->take(LogState{{{"names.jsonl", 10, 1}, {"trace.json", 10, 1}}}));
  for (int i = 0; i < 10 && (taken = names->take(LogPiece{std::string(1000, 'x'), false, 1})); ++i) {
  }
  CHECK_FALSE(taken);

  const auto elsewhere = fresh("elsewhere");
  REQUIRE(elsewhere->take(LogState{{{"a/ctf/machine_0/../../../../escape", 5, 1},
                                    {"a/ctf/machine_0/b", 5, 1},
                                    {"../ctf/machine_0", 5, 1},
                                    {"a/trace.json", 5, 1}}}));
  CHECK(elsewhere->wanted().file == "a/trace.json");
}
