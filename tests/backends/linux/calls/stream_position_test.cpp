// The lengths of operations on a stream, known late, compared with a plain account of what each operation really moved.
#include "backends/linux/calls/stream_position.hpp"

#include <memory>
#include <random>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

struct Recorder {
  ThreadOutput output;
  std::vector<std::unique_ptr<MeteredThread>> threads;

  MeteredThread& add() {
    const auto id = static_cast<std::uint32_t>(threads.size());
    threads.push_back(std::make_unique<MeteredThread>(ProcessId{id}, 100 + id, 100 + id, output));
    return *threads.back();
  }
  OpenOperation operation(MeteredThread& thread, std::uint64_t asked, std::uint64_t probable) {
    OpenOperation made;
    made.thread = &thread;
    Event event;
    event.process = thread.id();
    made.event = thread.append(event, false, 0);
    made.call_number = ++thread.call_number;
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
  MeteredThread& writer = recorder.add();
  StreamPosition position;
  CHECK(position.settle_at(1000, &writer).length_bytes == 0);  // the first time nothing is known of before
  position.open(recorder.operation(writer, 4096, 4096));
  CHECK(position.expected() == 5096);
  CHECK(position.settle_at(1096, &writer).length_bytes == 0);
  position.open(recorder.operation(writer, 4000, 4000));
  CHECK(position.settle_at(5096, &writer).length_bytes == 0);
  CHECK(ranges(recorder.output.ready) ==
        ranges({{.sequence = 1000, .length_bytes = 96}, {.sequence = 1096, .length_bytes = 4000}}));
}

TEST_CASE("stream position: what no operation can have moved is a gap", "[linux]") {
  Recorder recorder;
  MeteredThread& writer = recorder.add();
  StreamPosition position;
  position.settle_at(0, &writer);
  position.open(recorder.operation(writer, 100, 100));
  const auto gap = position.settle_at(150, &writer);
  CHECK(gap.offset == 100);
  CHECK(gap.length_bytes == 50);
  CHECK(position.settle_at(170, &writer).length_bytes == 20);
}

TEST_CASE("stream position: an operation that moved nothing is not an event", "[linux]") {
  Recorder recorder;
  MeteredThread& writer = recorder.add();
  StreamPosition position;
  position.settle_at(0, &writer);
  position.open(recorder.operation(writer, 100, 100));
  position.settle_at(0, &writer);
  CHECK(recorder.output.ready.empty());
  CHECK(writer.waiting() == 0);
  CHECK(writer.open_operations == 0);
}

TEST_CASE("stream position: what came after the call began is received when the call had ended", "[linux]") {
  Recorder recorder;
  MeteredThread& reader = recorder.add();
  StreamPosition position;
  const auto receive = [&](std::int64_t now_ns, std::uint64_t offset, std::uint64_t waiting) {
    reader.was_seen(LocalTime{now_ns});
    position.settle_at(offset, &reader);
    position.open(recorder.operation(reader, 100, waiting));
    reader.event(reader.first_waiting() + reader.waiting() - 1)->local_time = LocalTime{now_ns};
  };
  receive(10, 0, 20);   // takes what was there
  receive(20, 20, 0);   // nothing was there, but 30 bytes come
  receive(30, 50, 40);  // 10 bytes more than were there
  reader.append(Event{.local_time = LocalTime{35}}, true, 0);
  reader.was_seen(LocalTime{40});
  position.settle_at(100, &reader);
  const std::vector<Event>& ready = recorder.output.ready;
  REQUIRE(ready.size() == 4);
  CHECK(ready[0].local_time.ns == 10);
  CHECK(ready[1].local_time.ns == 30);
  CHECK(ready[2].local_time.ns == 35);  // before what the thread did next
  CHECK(reader.at_or_after_last(LocalTime{0}).ns == 35);
}

TEST_CASE("stream position: threads its process begins do not show that a thread's call has ended", "[linux]") {
  Recorder recorder;
  MeteredThread& reader = recorder.add();
  StreamPosition position;
  position.settle_at(0, &reader);
  const auto receive_late = [&](std::int64_t create_ns) {
    position.open(recorder.operation(reader, 100, 0));
    Event create{.local_time = LocalTime{create_ns}, .proc_time_ns = 3};
    create.type = EventType::create_process;
    reader.append_for_process(create, 0);
  };
  receive_late(15);
  reader.was_seen(LocalTime{20});
  position.settle_at(30, &reader);
  receive_late(25);
  reader.append(Event{.local_time = LocalTime{28}}, true, 0);
  reader.was_seen(LocalTime{40});
  position.settle_at(50, &reader);
  const std::vector<Event>& ready = recorder.output.ready;
  REQUIRE(ready.size() == 5);
  CHECK(ready[0].type == EventType::create_process);
  CHECK(ready[1].local_time.ns == 20);
  CHECK(ready[1].proc_time_ns == 3);
  CHECK(ready[2].type == EventType::create_process);
  CHECK(ready[3].local_time.ns == 28);
  CHECK(ready[4].local_time.ns == 28);
  CHECK(ranges({ready[1], ready[3]}) ==
        ranges({{.sequence = 0, .length_bytes = 30}, {.sequence = 30, .length_bytes = 20}}));
}

TEST_CASE("stream position: what others take is not what a thread got that asked in vain and stayed away", "[linux]") {
  Recorder recorder;
  MeteredThread& away = recorder.add();
  MeteredThread& reader = recorder.add();
  StreamPosition position;
  const auto receive = [&](MeteredThread& by, std::uint64_t offset, std::uint64_t waiting) {
    position.settle_at(offset, &by);
    OpenOperation operation = recorder.operation(by, 4096, waiting);
    operation.stood_at = offset;
    position.open(operation);
  };
  receive(away, 0, 0);
  receive(reader, 0, 20);
  receive(reader, 20, 0);
  receive(reader, 20, 30);
  receive(reader, 50, 0);
  CHECK(recorder.output.ready.empty());
  ++away.call_number;  // it was seen: nothing is in progress
  position.settle_at(50, &reader);
  CHECK(ranges(recorder.output.ready) ==
        ranges({{.sequence = 0, .length_bytes = 20}, {.sequence = 20, .length_bytes = 30}}));
  CHECK(recorder.output.ready[0].process == reader.id());
}

TEST_CASE("stream position: a thread for which there was something takes it, though another asks meanwhile",
          "[linux]") {
  Recorder recorder;
  MeteredThread& slow = recorder.add();
  MeteredThread& reader = recorder.add();
  StreamPosition position;
  position.settle_at(0, &slow);
  position.open(recorder.operation(slow, 100, 60));
  position.settle_at(0, &reader);
  position.open(recorder.operation(reader, 100, 60));
  ++slow.call_number;
  position.settle_at(75, &reader);
  CHECK(ranges(recorder.output.ready) ==
        ranges({{.sequence = 0, .length_bytes = 60}, {.sequence = 60, .length_bytes = 15}}));
  CHECK(recorder.output.ready[0].process == slow.id());
}

TEST_CASE("stream position: an operation another thread may still be in stays open, and those after it", "[linux]") {
  Recorder recorder;
  MeteredThread& blocked = recorder.add();
  MeteredThread& other = recorder.add();
  StreamPosition position;
  position.settle_at(0, &blocked);
  position.open(recorder.operation(blocked, 1000, 1000));
  CHECK(position.settle_at(400, &other).length_bytes == 0);
  position.open(recorder.operation(other, 10, 10));
  CHECK(recorder.output.ready.empty());
  ++blocked.call_number;  // it has been seen again: its call is over
  ++other.call_number;
  CHECK(position.settle_at(1010, &blocked).length_bytes == 0);
  CHECK(ranges(recorder.output.ready) ==
        ranges({{.sequence = 0, .length_bytes = 1000}, {.sequence = 1000, .length_bytes = 10}}));
}

TEST_CASE("stream position: what was probable is assumed when nothing will tell", "[linux]") {
  Recorder recorder;
  MeteredThread& reader = recorder.add();
  StreamPosition position;
  position.begin_at_zero();
  position.open(recorder.operation(reader, 100, 30));
  position.accept(&reader);
  CHECK(ranges(recorder.output.ready) == ranges({{.sequence = 0, .length_bytes = 30}}));
  CHECK(position.next() == 30);
}

TEST_CASE("stream position: a guess reaches no further than what was sent", "[linux]") {
  Recorder recorder;
  MeteredThread& reader = recorder.add();
  MeteredThread& other = recorder.add();
  StreamPosition position;
  position.begin_at_zero();
  position.open(recorder.operation(reader, 100, 30));
  position.open(recorder.operation(other, 100, 30));
  OpenOperation guess = recorder.operation(reader, 100, 100);
  guess.guessed = true;
  position.open(guess);
  position.accept(&reader, 75);
  position.accept(&other, 75);
  CHECK(ranges(recorder.output.ready) == ranges({{.sequence = 0, .length_bytes = 30},
                                                 {.sequence = 30, .length_bytes = 30},
                                                 {.sequence = 60, .length_bytes = 15}}));
}

TEST_CASE("stream position: offsets that are counted are assigned in the order of the calls", "[linux]") {
  Recorder recorder;
  MeteredThread& first = recorder.add();
  MeteredThread& second = recorder.add();
  StreamPosition position;
  position.begin_at_zero();
  position.open(recorder.operation(first, 10, 10));
  position.open(recorder.operation(second, 20, 20));
  position.settle(&second, 20);
  CHECK(recorder.output.ready.empty());
  position.settle(&first, 5);
  CHECK(ranges(recorder.output.ready) ==
        ranges({{.sequence = 0, .length_bytes = 5}, {.sequence = 5, .length_bytes = 20}}));
}

TEST_CASE("stream position: random partial operations and bypasses come out as they were", "[linux][property]") {
  std::mt19937 random(7);
  const auto up_to = [&random](std::uint64_t most) { return random() % (most + 1); };
  for (int run = 0; run < 300; ++run) {
    Recorder recorder;
    MeteredThread& writer = recorder.add();
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
    REQUIRE(ranges(recorder.output.ready) == moved);
    REQUIRE(gaps == expected_gaps);
    REQUIRE(writer.open_operations == 0);
  }
}

}  // namespace dpm
