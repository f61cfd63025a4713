// The lengths of operations on a stream, learnt late: against a plain account of what every operation really moved.
#include "backends/linux/meter/stream_position.hpp"

#include <memory>
#include <random>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

struct Recorder {
  std::vector<Event> ready;
  std::vector<std::unique_ptr<Execution>> executions;

  Execution& add() {
    const auto id = static_cast<std::uint32_t>(executions.size());
    executions.push_back(std::make_unique<Execution>(ProcessId{id}, 100 + id, 100 + id, ready));
    return *executions.back();
  }
  OpenOperation operation(Execution& execution, std::uint64_t asked, std::uint64_t probable) {
    OpenOperation made;
    made.execution = &execution;
    made.event = execution.append(Event{}, false, 0);
    made.call_number = ++execution.call_number;
    made.asked = asked;
    made.probable = probable;
    return made;
  }
};

std::vector<std::pair<std::uint64_t, std::uint32_t>> ranges(const std::vector<Event>& events) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> found;
  for (const auto& event : events) found.emplace_back(event.sequence, event.length_bytes);
  return found;
}

}  // namespace

TEST_CASE("stream position: an operation moved what lies between its offset and the next", "[linux]") {
  Recorder recorder;
  Execution& writer = recorder.add();
  StreamPosition position;
  CHECK(position.settle_at(1000, &writer).length_bytes == 0);  // the first time nothing is known of before
  position.open(recorder.operation(writer, 4096, 4096));
  CHECK(position.expected() == 5096);
  CHECK(position.settle_at(1096, &writer).length_bytes == 0);
  position.open(recorder.operation(writer, 4000, 4000));
  CHECK(position.settle_at(5096, &writer).length_bytes == 0);
  CHECK(ranges(recorder.ready) ==
        ranges({{.sequence = 1000, .length_bytes = 96}, {.sequence = 1096, .length_bytes = 4000}}));
}

TEST_CASE("stream position: what no operation can have moved is a gap", "[linux]") {
  Recorder recorder;
  Execution& writer = recorder.add();
  StreamPosition position;
  position.settle_at(0, &writer);
  position.open(recorder.operation(writer, 100, 100));
  const auto gap = position.settle_at(150, &writer);
  CHECK(gap.offset == 100);
  CHECK(gap.length_bytes == 50);
  CHECK(position.settle_at(170, &writer).length_bytes == 20);
}

TEST_CASE("stream position: an operation that moved nothing is no event", "[linux]") {
  Recorder recorder;
  Execution& writer = recorder.add();
  StreamPosition position;
  position.settle_at(0, &writer);
  position.open(recorder.operation(writer, 100, 100));
  position.settle_at(0, &writer);
  CHECK(recorder.ready.empty());
  CHECK(writer.waiting() == 0);
  CHECK(writer.open_operations == 0);
}

TEST_CASE("stream position: an operation another thread may still be in stays open, and those after it", "[linux]") {
  Recorder recorder;
  Execution& blocked = recorder.add();
  Execution& other = recorder.add();
  StreamPosition position;
  position.settle_at(0, &blocked);
  position.open(recorder.operation(blocked, 1000, 1000));
  CHECK(position.settle_at(400, &other).length_bytes == 0);
  position.open(recorder.operation(other, 10, 10));
  CHECK(recorder.ready.empty());
  ++blocked.call_number;  // it has been seen again: its call is over
  ++other.call_number;
  CHECK(position.settle_at(1010, &blocked).length_bytes == 0);
  CHECK(ranges(recorder.ready) ==
        ranges({{.sequence = 0, .length_bytes = 1000}, {.sequence = 1000, .length_bytes = 10}}));
}

TEST_CASE("stream position: what was probable is taken when nobody will tell", "[linux]") {
  Recorder recorder;
  Execution& reader = recorder.add();
  StreamPosition position;
  position.begin_at_zero();
  position.open(recorder.operation(reader, 100, 30));
  position.accept(&reader);
  CHECK(ranges(recorder.ready) == ranges({{.sequence = 0, .length_bytes = 30}}));
  CHECK(position.next() == 30);
}

TEST_CASE("stream position: a guess reaches no further than what was sent", "[linux]") {
  Recorder recorder;
  Execution& reader = recorder.add();
  Execution& other = recorder.add();
  StreamPosition position;
  position.begin_at_zero();
  position.open(recorder.operation(reader, 100, 30));
  position.open(recorder.operation(other, 100, 30));
  OpenOperation guess = recorder.operation(reader, 100, 100);
  guess.guessed = true;
  position.open(guess);
  position.accept(&reader, 75);
  position.accept(&other, 75);
  CHECK(ranges(recorder.ready) == ranges({{.sequence = 0, .length_bytes = 30},
                                          {.sequence = 30, .length_bytes = 30},
                                          {.sequence = 60, .length_bytes = 15}}));
}

TEST_CASE("stream position: offsets that are counted are given out in the order of the calls", "[linux]") {
  Recorder recorder;
  Execution& first = recorder.add();
  Execution& second = recorder.add();
  StreamPosition position;
  position.begin_at_zero();
  position.open(recorder.operation(first, 10, 10));
  position.open(recorder.operation(second, 20, 20));
  position.settle(&second, 20);
  CHECK(recorder.ready.empty());
  position.settle(&first, 5);
  CHECK(ranges(recorder.ready) == ranges({{.sequence = 0, .length_bytes = 5}, {.sequence = 5, .length_bytes = 20}}));
}

TEST_CASE("stream position: random partial operations and bypasses come out as they were", "[linux][property]") {
  std::mt19937 random(7);
  const auto up_to = [&random](std::uint64_t most) { return random() % (most + 1); };
  for (int run = 0; run < 300; ++run) {
    Recorder recorder;
    Execution& writer = recorder.add();
    StreamPosition position;
    std::uint64_t offset = up_to(100000), gaps = 0, expected_gaps = 0;
    position.settle_at(offset, &writer);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> moved;
    for (int step = 0; step < 50; ++step) {
      const std::uint64_t asked = 1 + up_to(5000);
      gaps += position.settle_at(offset, &writer).length_bytes;
      position.open(recorder.operation(writer, asked, up_to(asked)));
      const std::uint64_t really = up_to(2) == 0 ? up_to(asked) : asked;
      if (really > 0) moved.emplace_back(offset, static_cast<std::uint32_t>(really));
      offset += really;
      if (really == asked && up_to(9) == 0) {  // bytes that bypass the meter show only when the operation was complete
        const std::uint64_t unseen = 1 + up_to(300);
        expected_gaps += unseen;
        offset += unseen;
      }
    }
    gaps += position.settle_at(offset, &writer).length_bytes;
    REQUIRE(ranges(recorder.ready) == moved);
    REQUIRE(gaps == expected_gaps);
    REQUIRE(writer.open_operations == 0);
  }
}

}  // namespace dpm
