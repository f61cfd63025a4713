// The programs themselves: buffers against an obvious cache, messages there and back, and runs that end as they should.
#include <algorithm>
#include <deque>

#include "scenarios/file-system/block_cache.hpp"
#include "scenarios/file-system/program.hpp"
#include "scenarios/file-system/protocol.hpp"
#include "tests/scenarios/file-system/study.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::test;
using namespace dpm::scenarios::file_system;

namespace {

// A cache that is a list, searched from end to end.
class ObviousCache {
 public:
  explicit ObviousCache(std::size_t buffers) : buffers_(buffers) {}

  std::vector<DiskOperation> access(const BlockId& block, bool is_write, bool is_new) {
    std::vector<DiskOperation> operations;
    if (holds(block)) {
      use(block, is_write, is_new, operations);
      return operations;
    }
    use({block.file, static_cast<std::uint16_t>(block.block / 4), true}, is_new, is_new, operations);
    use(block, is_write, is_new, operations);
    return operations;
  }

 private:
  struct Buffer {
    BlockId block;
    bool changed;
  };

  bool holds(const BlockId& block) const {
    return std::any_of(list_.begin(), list_.end(), [&](const Buffer& buffer) { return buffer.block == block; });
  }

  void use(const BlockId& block, bool change, bool is_new, std::vector<DiskOperation>& operations) {
    Buffer buffer{block, change};
    if (holds(block)) {
      for (std::size_t i = 0; i < list_.size(); ++i) {
        if (list_[i].block != block) continue;
        buffer.changed = buffer.changed || list_[i].changed;
        list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
    } else {
      if (list_.size() == buffers_) {
        if (list_.back().changed) operations.push_back({kDiskWrite, list_.back().block});
        list_.pop_back();
      }
      if (!is_new) operations.push_back({kDiskRead, block});
    }
    list_.push_front(buffer);
  }

  std::size_t buffers_;
  std::deque<Buffer> list_;
};

class CountEvents : public EventSink {
 public:
  std::vector<Event> events;
  void on_begin(const TraceInfo&) override {}
  void on_events(std::span<const Event> batch) override { events.insert(events.end(), batch.begin(), batch.end()); }
  void on_end(const LossReport&) override {}
};

}  // namespace

TEST_CASE("block cache: needs the disk exactly when a list of the last used blocks would", "[file-system]") {
  for (const std::size_t buffers : {2u, 5u, 20u}) {
    BlockCache cache(buffers, 4);
    ObviousCache obvious(buffers);
    Random random(buffers);
    std::size_t operations = 0;
    for (int access = 0; access < 5000; ++access) {
      const BlockId block{static_cast<std::uint32_t>(random.below(3)), static_cast<std::uint16_t>(random.below(12)),
                          false};
      const bool is_write = random.chance(.4);
      const bool is_new = is_write && random.chance(.5);
      const auto expected = obvious.access(block, is_write, is_new);
      REQUIRE(cache.access(block, is_write, is_new) == expected);
      operations += expected.size();
    }
    CHECK(operations > 100);
  }
}

TEST_CASE("file system: a request comes out of a message as it went in", "[file-system]") {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    Request request;
    request.tag = static_cast<std::uint32_t>(random.next());
    request.block = {static_cast<std::uint32_t>(random.next()), static_cast<std::uint16_t>(random.next()),
                     random.chance(.5)};
    request.user = static_cast<std::uint8_t>(random.next());
    request.is_new = random.chance(.5);
    request.answer_expected = random.chance(.5);
    const auto bytes = encode(request);
    REQUIRE(bytes.size() == kRequestBytes);
    const Request decoded = decode_request(bytes);
    REQUIRE(decoded.tag == request.tag);
    REQUIRE(decoded.block == request.block);
    REQUIRE(decoded.user == request.user);
    REQUIRE(decoded.is_new == request.is_new);
    REQUIRE(decoded.answer_expected == request.answer_expected);
  }
}

TEST_CASE("file system: every process ends by itself, for any number of users and any placement", "[file-system]") {
  for (int users = 1; users <= 7; ++users) {
    for (const auto& placement : file_system().placement_names) {
      INFO(users << " users, placement " << placement);
      SimSource source(
          scenario_of({.placement = placement, .seed = 1, .parameters = {{"users", double(users)}, {"requests", 30}}}));
      CountEvents sink;
      REQUIRE(source.run(sink).has_value());
      CHECK(source.truth().ended_by == "every process ended");
      CHECK(source.truth().blocked.empty());
      CHECK(source.truth().messages_dropped == 0);
    }
  }
}

TEST_CASE("file system: every READ moves its data to the user, and no other message does", "[file-system]") {
  const Scenario scenario = scenario_of({.placement = "", .seed = 1, .parameters = {{"users", 3}, {"requests", 100}}});
  CountEvents sink;
  SimSource source(scenario);
  REQUIRE(source.run(sink).has_value());
  const auto number_of = [&](const std::string& name) {
    const auto found = std::find_if(scenario.processes.begin(), scenario.processes.end(),
                                    [&](const auto& process) { return process.name == name; });
    return ProcessId{static_cast<std::uint32_t>(found - scenario.processes.begin())};
  };
  const ProcessId buffer_manager = number_of("buffer_manager");
  std::size_t reads = 0, moved = 0;
  for (const Event& event : sink.events) {
    if (event.type != EventType::send) continue;
    if (event.peer == buffer_manager && event.code == kRead) ++reads;
    if (event.process == buffer_manager && (event.flags & event_flags::kKernelMessage) != 0) ++moved;
  }
  CHECK(reads > 100);
  CHECK(moved == reads);
}

TEST_CASE("file system: another seed gives other times, the same seed the same events", "[file-system]") {
  const auto run = [](std::uint64_t seed) {
    SimSource source(scenario_of({.placement = "", .seed = seed, .parameters = {{"requests", 20}}}));
    CountEvents sink;
    REQUIRE(source.run(sink).has_value());
    return std::pair(source.truth().total_cpu_ns, sink.events.size());
  };
  CHECK(run(1) == run(1));
  CHECK(run(1).first != run(2).first);
}

TEST_CASE("file system: a number out of range ends the run with its name", "[file-system]") {
  Scenario scenario = scenario_of({.placement = "", .seed = 1, .parameters = {{"requests", 1.5}}});
  CountEvents sink;
  const auto done = SimSource(scenario).run(sink);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().what.find("parameter 'requests' must be a whole number") != std::string::npos);
}

TEST_CASE("file system: every program describes itself and each of its numbers", "[file-system]") {
  const auto all = programs();
  CHECK(all.size() == 7);
  for (const auto& program : all) {
    INFO(program.name);
    CHECK_FALSE(program.summary.empty());
    CHECK_FALSE(program.parameters.empty());
    for (const auto& parameter : program.parameters) CHECK_FALSE(parameter.meaning.empty());
  }
}
