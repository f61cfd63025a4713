#include "analysis/statistics/call_sites.hpp"

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

constexpr ProcessId kServer{0}, kClient{1};

Event event(EventType type, ProcessId process, std::uint64_t pc, std::uint32_t bytes) {
  Event e;
  e.type = type;
  e.process = process;
  e.pc = pc;
  e.length_bytes = bytes;
  return e;
}

}  // namespace

TEST_CASE("call sites: messages and bytes are counted where they are sent and received", "[statistics]") {
  CallSiteAnalysis analysis;
  analysis.on_events(
      std::vector<Event>{event(EventType::send, kClient, 0x10, 100), event(EventType::receive_call, kServer, 0x20, 0),
                         event(EventType::receive, kServer, 0x20, 100), event(EventType::send, kServer, 0x30, 7)});
  analysis.on_events(
      std::vector<Event>{event(EventType::send, kClient, 0x10, 50), event(EventType::receive, kClient, 0x10, 7)});
  const auto sites = analysis.result();
  REQUIRE(sites.size() == 3);
  CHECK(sites[0].process == kServer);
  CHECK(sites[0].pc == 0x20);
  CHECK(sites[0].received == 1);
  CHECK(sites[0].received_bytes == 100);
  CHECK(sites[0].sent == 0);
  CHECK(sites[1].pc == 0x30);
  CHECK(sites[1].sent_bytes == 7);
  CHECK(sites[2].process == kClient);
  CHECK(sites[2].sent == 2);
  CHECK(sites[2].sent_bytes == 150);
  CHECK(sites[2].received == 1);
}
