#include "analysis/history/intake_limit.hpp"

#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_system.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

History run(ObviousSystem system) {
  const auto placement = random_placement(1, system.info);
  for (std::size_t p = 0; p < placement.size(); ++p) system.info.processes[p].machine = placement[p];
  return history_of(system.info, simulate(system, placement).events);
}

}  // namespace

TEST_CASE("intake limit: the limit of a server is found, with the channels its answers come over", "[history]") {
  for (const std::uint32_t limit : {2u, 3u, 5u}) {
    const History history = run(limited_server(limit, 8, 20, limit));
    const auto limits = find_intake_limits(history);
    REQUIRE(limits.size() == history.process_count());
    CHECK(limits[0].most == limit);
    CHECK(limits[0].when_full == 1);
    for (std::size_t p = 1; p < limits.size(); ++p) CHECK(limits[p].most == 0);
  }
}

TEST_CASE("intake limit: a limit that was never reached is not in the trace", "[history]") {
  CHECK(find_intake_limits(run(limited_server(1, 3, 20, 4)))[0].most == 0);
}

TEST_CASE("intake limit: a process that waits for answers because of the message it handled has none", "[history]") {
  for (const auto& limit : find_intake_limits(run(selective_server(1, 5, 20, false)))) CHECK(limit.most == 0);
}

TEST_CASE("intake limit: one RECEIVE that disagrees is enough to reject a limit", "[history]") {
  History history = run(limited_server(3, 8, 20, 3));
  for (std::uint32_t e = history.first_event[1]; e-- > history.first_event[0];) {
    if (history.events[e].kind() != HistoryKind::receive || history.events[e].channel == 0) continue;
    history.events[e].channel = 0;  // it took new work although it was full
    break;
  }
  CHECK(find_intake_limits(history)[0].most == 0);
}

TEST_CASE("intake limit: without RECEIVECALL nothing is known", "[history]") {
  History history = run(limited_server(3, 8, 20, 3));
  history.receive_calls_metered = false;
  CHECK(find_intake_limits(history)[0].most == 0);
}

TEST_CASE("intake limit: what one process shows holds for another of its program that was never full", "[history]") {
  // Two servers, of which only the first has as many clients as its limit: the parts of two runs side by side.
  const ObviousSystem busy = limited_server(3, 8, 20, 3), idle = limited_server(4, 2, 20, 3);
  TraceInfo info = busy.info;
  const auto first = static_cast<std::uint32_t>(info.processes.size());
  const auto first_channel = static_cast<std::uint32_t>(info.channels.size());
  for (const ProcessInfo& process : idle.info.processes) info.processes.push_back(process);
  for (ProcessInfo& process : info.processes)
    process.program = process.name.substr(0, process.name.find_first_of("_0123456789"));
  for (ChannelInfo channel : idle.info.channels) {
    channel.owner.value += first;
    info.channels.push_back(channel);
  }
  std::vector<Event> events = simulate(busy, std::vector<MachineId>(busy.info.processes.size(), MachineId{0})).events;
  for (Event event : simulate(idle, std::vector<MachineId>(idle.info.processes.size(), MachineId{0})).events) {
    event.process.value += first;
    if (!event.peer.is_none()) event.peer.value += first;
    if (!event.channel.is_none()) event.channel.value += first_channel;
    events.push_back(event);
  }
  const auto limits = find_intake_limits(history_of(info, events));
  CHECK(limits[0].most == 3);
  CHECK(limits[first].most == 3);
  CHECK(limits[first].when_full == 0);
  REQUIRE(limits[first].limited.size() == info.processes.size());
  CHECK(!limits[first].limited[first + 1]);  // a worker
  CHECK(limits[first].limited[first + 4]);   // a client
}
