#include "analysis/vector_clocks/snapshot.hpp"

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

Event event_of(EventType type, std::uint32_t process, std::uint64_t sequence = 0, std::uint32_t bytes = 0) {
  Event event;
  event.type = type;
  event.process = ProcessId{process};
  event.channel = ChannelId{7};
  event.sequence = sequence;
  event.length_bytes = bytes;
  return event;
}

TEST_CASE("snapshot: what each process did last, and what is under way", "[vector_clocks]") {
  Snapshot snapshot;
  CHECK(snapshot.under_way().empty());
  snapshot.add(event_of(EventType::send, 2, 0, 5));
  snapshot.add(event_of(EventType::send, 2, 1, 6));
  Event more = event_of(EventType::send, 2, 2, 9);
  more.flags = event_flags::kNoMessage;
  snapshot.add(more);
  REQUIRE(snapshot.processes().size() == 3);
  CHECK(!snapshot.processes()[0].last);
  CHECK(snapshot.events_of(ProcessId{2}) == 3);
  CHECK(snapshot.events_of(ProcessId{9}) == 0);
  REQUIRE(snapshot.under_way().size() == 1);
  CHECK(snapshot.under_way()[0].messages == 2);
  CHECK(snapshot.under_way()[0].bytes == 11);
  CHECK(snapshot.under_way()[0].sender == ProcessId{2});
  Event received = event_of(EventType::receive, 0, 0, 5);
  received.peer = ProcessId{2};
  snapshot.add(received);
  CHECK(snapshot.under_way()[0].bytes == 6);
  CHECK(snapshot.processes()[0].last->type == EventType::receive);
}

}  // namespace
}  // namespace dpm
