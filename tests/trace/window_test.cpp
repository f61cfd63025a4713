// A trace of which only the last part is kept: segments, what is removed when, and what readers find at any time.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "model/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/trace/babeltrace.hpp"
#include "tests/trace/trace_fixture.hpp"
#include "trace/segment_name.hpp"
#include "trace/segment_queue.hpp"
#include "trace/trace_follower.hpp"

using namespace dpm;
using namespace dpm::test;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kWindow = 800, kSegment = kWindow / kSegmentsOfWindow;

// A recorder whose clock the test sets, of a plain trace and of a compressed one.
struct Recording {
  bool compressed;
  TemporaryFolder folder;
  TraceInfo info;
  std::int64_t now_ns = 0;
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  std::string path = folder / "trace";
  std::unique_ptr<TraceWriter> writer =
      TraceWriter::create(path, describe_events({"filter"}, rules),
                          {TraceWindow{{kWindow}, [this] { return now_ns; }}, compressed})
          .value();
  EventFilter filter{std::move(rules), *writer};
  std::uint64_t given = 0;

  explicit Recording(TraceInfo first, bool is_compressed = GENERATE(false, true))
      : compressed(is_compressed), info(std::move(first)) {
    filter.on_begin(info);
  }
  void give(std::int64_t at_ns, std::span<const Event> events) {
    now_ns = at_ns;
    filter.on_events(events);
    given += events.size();
  }
  void end() { filter.on_end({.seen = given}); }
};

std::set<std::string> files_of(const std::string& trace) {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(trace + "/ctf")) files.insert(entry.path().filename().string());
  files.erase("metadata");
  return files;
}

using Files = std::set<std::string>;

// The n-th event, recognizable by its `pc`.
Event numbered_event(const TraceInfo& info, std::uint64_t number, std::uint32_t process = 0) {
  Event event;
  event.type = EventType::exec;
  event.process.value = process;
  event.machine = info[event.process].machine;
  event.pc = number;
  event.proc_time_ns = 1000 * number;
  event.local_time.ns = static_cast<std::int64_t>(number);
  return event;
}

ReadBack read_path(const std::string& path, Ledger& ledger) {
  auto reader = TraceReader::open(path).value();
  auto back = read_back(reader);
  ledger = reader.ledger();
  CHECK(ledger.balanced());
  CHECK(ledger.kept == back.events.size() + ledger.removed);
  CHECK(back.losses.seen == back.events.size() + back.losses.lost());
  return back;
}

// Is `events` the end of what each machine's stream was given?
void require_tails(const std::vector<Event>& events, const std::vector<Event>& given, std::size_t machines) {
  for (std::size_t m = 0; m < machines; ++m) {
    const auto of_machine = [&](const std::vector<Event>& all) {
      std::vector<Event> chosen;
      for (const Event& event : all)
        if (event.machine.value == m) chosen.push_back(event);
      return chosen;
    };
    const auto kept = of_machine(events), whole = of_machine(given);
    REQUIRE(kept.size() <= whole.size());
    REQUIRE(std::equal(kept.rbegin(), kept.rend(), whole.rbegin(), same_event));
  }
}

struct Viewer {
  TraceFollower follower;
  std::vector<Event> events;

  explicit Viewer(const std::string& path) : follower(TraceFollower::open(path).value()) {}
  std::uint64_t look(std::uint64_t events_max = 1'000'000) {
    return follower.poll([&](std::span<const Event> batch) { events.insert(events.end(), batch.begin(), batch.end()); },
                         events_max);
  }
};

}  // namespace

TEST_CASE("segments: a name says what came before, and only names that were given are read as such", "[trace]") {
  CHECK(SegmentName{"machine_0_filter_0", 0}.file() == "machine_0_filter_0");
  CHECK(SegmentName{"machine_0_filter_0", 81920}.file() == "machine_0_filter_0.81920");
  CHECK(SegmentName::of("machine_0_filter_0.81920") == SegmentName{"machine_0_filter_0", 81920});
  for (const char* other :
       {"machine_0_filter_0", "a.", "a.0", "a.07", "a.x", "a.-1", "a.+1", ".5", "a.99999999999999999"})
    CHECK(SegmentName::of(other) == SegmentName{other, 0});
}

TEST_CASE("window: a segment ends at its length to the nanosecond, and goes one nanosecond after the window",
          "[trace]") {
  Recording recording(small_info(1, 1, 1));
  const auto one = [&](std::int64_t at_ns) {
    const Event event = numbered_event(recording.info, recording.given);
    recording.give(at_ns, std::span(&event, 1));
    recording.writer->flush();
    return files_of(recording.path);
  };
  const std::string first = "machine_0_filter_0";
  CHECK(one(1000) == Files{first});
  CHECK(one(1000 + kSegment - 1) == Files{first});
  CHECK(one(1000 + kSegment) == Files{first, first + ".2"});
  // The last record of the first segment is as old as the window, and not older.
  CHECK(one(1000 + kSegment - 1 + kWindow) == Files{first, first + ".2", first + ".3"});
  CHECK(one(1000 + kSegment + kWindow) == Files{first + ".2", first + ".3"});
  CHECK(one(1000 + kSegment + kWindow + 1) == Files{first + ".3"});
  recording.end();
  Ledger ledger;
  const auto back = read_path(recording.path, ledger);
  CHECK(back.events.size() == 3);
  CHECK(ledger.removed == 3);
  CHECK(ledger.kept == 6);
  CHECK(ledger.lost == 0);
  REQUIRE(ledger.warnings.size() == 1);
  CHECK_THAT(ledger.warnings.front(), Catch::Contains("removed 3 of 6 kept events again"));
}

TEST_CASE("window: a program that falls silent keeps its last minute", "[trace]") {
  Recording recording(small_info(1, 1, 1));
  const Event event = numbered_event(recording.info, 0);
  recording.give(5, std::span(&event, 1));
  recording.now_ns = 100 * kWindow;
  recording.writer->checkpoint();
  recording.end();
  Ledger ledger;
  CHECK(read_path(recording.path, ledger).events.size() == 1);
  CHECK(ledger.removed == 0);
  CHECK(ledger.warnings.empty());
}

TEST_CASE("window: a machine that fell silent leaves only a number, also when the recorder is killed", "[trace]") {
  Recording recording(small_info(2, 2, 1));
  const Event early = numbered_event(recording.info, 1, 1), late = numbered_event(recording.info, 2, 0);
  recording.give(0, std::span(&early, 1));
  recording.writer->flush();
  recording.give(2 * kWindow, std::span(&late, 1));
  recording.writer->flush();
  CHECK(files_of(recording.path) == Files{"machine_0_filter_0"});
  Ledger ledger;
  CHECK(read_path(recording.path, ledger).events.size() == 1);
  CHECK(ledger.removed == 1);
  CHECK(ledger.lost == 0);
  recording.end();
  CHECK(read_path(recording.path, ledger).events.size() == 1);
  CHECK(ledger.kept == 2);
  CHECK(ledger.removed == 1);
  CHECK(ledger.losses.empty());
}

TEST_CASE("window: what is kept is the end of what was given, and at least the window", "[trace]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const std::size_t machines = 1 + random.below(3);
    Recording recording(small_info(machines, 6, 9));
    std::vector<Event> given;
    std::vector<std::int64_t> given_at;
    std::int64_t now = 0;
    const auto source = random_events(seed, 6000, recording.info);
    for (std::size_t at = 0; at < source.size();) {
      now += static_cast<std::int64_t>(random.below(random.chance(.05) ? 3 * kWindow : 40));
      const std::size_t count = std::min<std::size_t>(1 + random.below(60), source.size() - at);
      recording.give(now, std::span(source).subspan(at, count));
      given.insert(given.end(), source.begin() + static_cast<std::ptrdiff_t>(at),
                   source.begin() + static_cast<std::ptrdiff_t>(at + count));
      given_at.resize(given.size(), now);
      at += count;
      if (random.chance(.3)) recording.writer->flush();
      if (random.chance(.1)) recording.writer->checkpoint();
      if (random.chance(.05)) {  // as if the recorder were killed here
        recording.writer->flush();
        Ledger ledger;
        const auto back = read_path(recording.path, ledger);
        REQUIRE(ledger.lost == 0);
        REQUIRE(ledger.kept == given.size());
        require_tails(back.events, given, machines);
      }
    }
    recording.end();
    Ledger ledger;
    const auto back = read_path(recording.path, ledger);
    REQUIRE(ledger.seen == given.size());
    REQUIRE(ledger.lost == 0);
    require_tails(back.events, given, machines);
    const auto in_window =
        std::count_if(given_at.begin(), given_at.end(), [&](std::int64_t at_ns) { return at_ns >= now - kWindow; });
    const auto in_longest = std::count_if(given_at.begin(), given_at.end(),
                                          [&](std::int64_t at_ns) { return at_ns >= now - kWindow - kSegment; });
    CHECK(static_cast<std::ptrdiff_t>(back.events.size()) >= in_window);
    CHECK(static_cast<std::ptrdiff_t>(back.events.size()) <= in_longest);
  }
}

TEST_CASE("window: the disk holds at most the window and an eighth, however long the recording", "[trace]") {
  Recording recording(small_info(1, 3, 3));
  const auto events = random_events(4, 500, recording.info);
  std::uintmax_t most = 0, one = 0;
  for (int i = 0; i < 2000; ++i) {
    recording.give(10 * i, events);
    recording.writer->flush();
    std::uintmax_t bytes = 0;
    for (const auto& file : files_of(recording.path)) bytes += fs::file_size(recording.path + "/ctf/" + file);
    if (i == 0) one = bytes;
    most = std::max(most, bytes);
  }
  // 80 batches are in the window.
  CHECK(most <= one * 80 * 5 / 4);
  CHECK(most >= one * 80 * 9 / 10);
}

TEST_CASE("window: a reader has what was there when it was opened, whatever the recorder removes", "[trace]") {
  Recording recording(small_info(2, 6, 9));
  const auto events = random_events(11, 4000, recording.info);
  for (std::size_t i = 0; i < 20; ++i) {
    recording.give(static_cast<std::int64_t>(i) * 50, std::span(events).subspan(i * 100, 100));
    recording.writer->flush();
  }
  auto reader = TraceReader::open(recording.path).value();
  const auto before = read_back(reader);
  for (std::size_t i = 20; i < 40; ++i)
    recording.give(static_cast<std::int64_t>(i) * 500, std::span(events).subspan(i * 100, 100));
  recording.end();
  const auto after = read_back(reader);
  CHECK(before.events.size() > 500);
  CHECK(std::equal(before.events.begin(), before.events.end(), after.events.begin(), after.events.end(), same_event));
  CHECK(after.losses.lost() == 0);
  CHECK(reader.ledger().balanced());
}

TEST_CASE("window: processes that had begun before the first event are known from their middle only", "[trace]") {
  Recording recording(small_info(1, 3, 3));
  Event event = numbered_event(recording.info, 1, 0);
  recording.give(0, std::span(&event, 1));
  event.type = EventType::start_process;
  event.process.value = 1;
  recording.give(0, std::span(&event, 1));
  for (const std::uint32_t process : {0u, 1u}) {
    event = numbered_event(recording.info, 9, process);
    recording.give(2 * kWindow, std::span(&event, 1));
  }
  event.type = EventType::start_process;
  event.process.value = 2;
  recording.give(2 * kWindow, std::span(&event, 1));
  recording.end();
  const auto reader = TraceReader::open(recording.path).value();
  CHECK(reader.info().processes[0].acquired);
  CHECK(reader.info().processes[1].acquired);
  CHECK_FALSE(reader.info().processes[2].acquired);
  Viewer viewer(recording.path);
  viewer.look();
  CHECK(viewer.follower.info().processes[0].acquired);
  CHECK_FALSE(viewer.follower.info().processes[2].acquired);
}

TEST_CASE("window: a segment that is damaged or missing in the middle is a loss, counted exactly", "[trace]") {
  for (const bool ends : {false, true}) {
    INFO("ends " << ends);
    Recording recording(small_info(1, 1, 1));
    for (std::uint64_t i = 0; i < 40; ++i) {
      const Event event = numbered_event(recording.info, i);
      recording.give(static_cast<std::int64_t>(i) * 50, std::span(&event, 1));
      recording.writer->flush();
    }
    if (ends) recording.end();
    std::map<std::uint64_t, std::string> files;
    for (const auto& file : files_of(recording.path)) files[SegmentName::of(file).before] = file;
    REQUIRE(files.size() > 4);
    const auto second = std::next(files.begin()), third = std::next(second), fourth = std::next(third);
    fs::resize_file(recording.path + "/ctf/" + second->second, 70);
    fs::remove(recording.path + "/ctf/" + third->second);
    Ledger ledger;
    const auto back = read_path(recording.path, ledger);
    CHECK(ledger.removed == files.begin()->first);
    CHECK(ledger.lost == fourth->first - second->first);
    CHECK(ledger.kept + ledger.lost == 40);
    CHECK(back.events.back().pc == 39);
  }
}

bool is_too_slow(const Viewer& viewer) {
  const auto& warnings = viewer.follower.ledger().warnings;
  return std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
    return warning.find("slower than the recorder") != std::string::npos;
  });
}

TEST_CASE("window: a viewer that keeps pace sees everything once, and one that is slow is told what it missed",
          "[trace]") {
  int too_slow = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const std::size_t machines = 1 + random.below(3);
    Recording recording(small_info(machines, 6, 9));
    const auto source = random_events(seed, 8000, recording.info);
    Viewer quick(recording.path), slow(recording.path);
    std::unique_ptr<Viewer> late;
    std::int64_t now = 0;
    for (std::size_t at = 0; at < source.size();) {
      now += static_cast<std::int64_t>(random.below(40));
      const std::size_t count = std::min<std::size_t>(1 + random.below(60), source.size() - at);
      recording.give(now, std::span(source).subspan(at, count));
      at += count;
      recording.writer->flush();
      if (random.chance(.1)) recording.writer->checkpoint();
      quick.look();
      if (random.chance(.02)) slow.look(100);
      if (late == nullptr && at > source.size() / 2) late = std::make_unique<Viewer>(recording.path);
      if (late != nullptr) late->look();
      REQUIRE(slow.follower.ledger().balanced());
    }
    recording.end();
    for (Viewer* viewer : {&quick, &slow, late.get()}) {
      for (int looks = 0; !viewer->follower.is_over(); ++looks) {
        REQUIRE(looks < 1000);
        viewer->look(5000);
      }
      const Ledger& ledger = viewer->follower.ledger();
      CHECK(ledger.balanced());
      CHECK(ledger.lost == 0);
      CHECK(ledger.kept == source.size());
      CHECK(ledger.removed == source.size() - viewer->events.size());
      CHECK(ledger.warnings.size() == (ledger.removed > 0 ? 1u : 0u) + (is_too_slow(*viewer) ? 1u : 0u));
    }
    CHECK(!is_too_slow(quick));
    CHECK(same_by_process(quick.events, source, recording.info));
    too_slow += is_too_slow(slow);
    CHECK(!is_too_slow(*late));
    CHECK(late->follower.ledger().removed > 0);
    require_tails(late->events, source, machines);
  }
  CHECK(too_slow > 0);
}

TEST_CASE("window: a recorder that is killed at any time leaves a trace that is read without a loss", "[trace]") {
  const TraceInfo info = small_info(2, 6, 9);
  const auto source = random_events(5, 200'000, info);
  for (int delay_us = 200; delay_us < 40'000; delay_us += 2311) {
    INFO("killed after " << delay_us << " us");
    const TemporaryFolder folder;
    const std::string path = folder / "trace";
    const pid_t recorder = ::fork();
    REQUIRE(recorder >= 0);
    if (recorder == 0) {
      std::int64_t now_ns = 0;
      std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
      auto writer = TraceWriter::create(path, describe_events({"filter"}, rules),
                                        {TraceWindow{{kWindow}, [&] { return now_ns; }}})
                        .value();
      EventFilter filter(std::move(rules), *writer);
      filter.on_begin(info);
      for (std::size_t at = 0;; at = (at + 50) % source.size()) {
        filter.on_events(std::span(source).subspan(at, 50));
        now_ns += 30;
        if (now_ns % 90 == 0) writer->flush();
        if (now_ns % 900 == 0) writer->checkpoint();
      }
    }
    while (!fs::exists(path + "/ctf/metadata")) ::usleep(100);
    ::usleep(static_cast<useconds_t>(delay_us));
    ::kill(recorder, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(recorder, &status, 0) == recorder);
    if (!fs::exists(path + "/trace.json")) continue;
    Ledger ledger;
    const auto back = read_path(path, ledger);
    CHECK(ledger.lost == 0);
    // SIGKILL can cut the write() that is under way. Its packet, the last one of a file, is reported as cut; nothing else is missing.
    CHECK(ledger.losses.size() <= 1);
    for (const auto& loss : ledger.losses) {
      CHECK_THAT(loss.reason, Catch::Contains("is cut short at byte"));
      CHECK_THAT(loss.reason, !Catch::Contains("lacks"));
    }
    std::vector<Event> given(source);
    while (given.size() < ledger.kept + 100) given.insert(given.end(), source.begin(), source.end());
    // Each stream was written up to its last packet.
    for (std::size_t m = 0; m < 2; ++m) {
      std::vector<Event> kept, whole;
      for (const Event& event : back.events)
        if (event.machine.value == m) kept.push_back(event);
      for (const Event& event : given)
        if (event.machine.value == m) whole.push_back(event);
      if (kept.empty()) continue;
      CHECK(std::search(whole.begin(), whole.end(), kept.begin(), kept.end(), same_event) != whole.end());
    }
    Viewer viewer(path);
    viewer.look();
    CHECK(viewer.follower.is_over());
    CHECK(viewer.events.size() == back.events.size());
    CHECK(viewer.follower.ledger().removed == ledger.removed);
  }
}

TEST_CASE("window: babeltrace2 reads every segment, while it is recorded and afterwards", "[trace]") {
  Recording recording(small_info(2, 6, 9), false);
  const auto events = random_events(12, 6000, recording.info);
  for (std::size_t i = 0; i < 60; ++i) {
    recording.give(static_cast<std::int64_t>(i) * 50, std::span(events).subspan(i * 100, 100));
    if (i % 2 == 0) recording.writer->flush();
  }
  recording.writer->flush();
  const auto kept = [&] {
    auto reader = TraceReader::open(recording.path).value();
    return read_back(reader).events.size();
  };
  CHECK(kept() < 3000);
  CHECK(babeltrace(recording.path).size() == kept());
  recording.end();
  CHECK(files_of(recording.path).size() > 10);
  CHECK(babeltrace(recording.path).size() == kept());
}
