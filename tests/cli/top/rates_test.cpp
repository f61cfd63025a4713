// Rates of two looks, against differences by hand.
#include "cli/top/rates.hpp"

#include "cli/top/columns.hpp"
#include "cli/top/waits_now.hpp"
#include "sampling/states/state.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::cli;

namespace {

TraceInfo two_processes_with_threads() {
  TraceInfo info;
  info.machines = {{.name = "red"}};
  for (const char* name : {"server", "server", "client"}) {
    ProcessInfo process;
    process.name = name;
    process.machine = {0};
    info.processes.push_back(process);
  }
  info.processes[1].group = {0};
  return info;
}

ProcessStatistics seen(std::uint32_t process, std::uint64_t cpu_ns, std::uint64_t sent) {
  ProcessStatistics statistics;
  statistics.process = {process};
  statistics.cpu_ns = cpu_ns;
  statistics.sent = sent;
  statistics.sent_bytes = sent * 100;
  statistics.last_machine = {0};
  return statistics;
}

TraceTotals totals(std::vector<ProcessStatistics> processes) {
  TraceTotals totals;
  for (const auto& process : processes) {
    if (process.sent > 0)
      totals.statistics.messages.push_back(
          {.from = process.process, .to = {2}, .sent = process.sent, .sent_bytes = process.sent_bytes});
  }
  totals.statistics.processes = std::move(processes);
  totals.doing = {Doing::waits_for_message, Doing::waits_for_message, Doing::ended};
  totals.queued = {2, 3, std::nullopt};
  totals.elapsed_s = 10;
  return totals;
}

}  // namespace

TEST_CASE("top: rates are differences of totals, by process or by thread", "[top]") {
  const TraceInfo info = two_processes_with_threads();
  const auto before = totals({seen(0, 1'000'000'000, 10), seen(1, 0, 0)});
  const auto after = totals({seen(0, 2'000'000'000, 30), seen(1, 500'000'000, 5), seen(2, 100'000'000, 1)});
  const TopNumbers numbers = rates_between(before, after, 2, info, false);
  REQUIRE(numbers.processes.size() == 2);
  CHECK(numbers.processes[0].rates.cpu == Approx(.75));
  CHECK(numbers.processes[0].rates.sent == Approx(12.5));
  CHECK(numbers.processes[0].rates.sent_bytes == Approx(1250));
  CHECK(numbers.processes[0].queued == 5);
  CHECK(numbers.processes[0].doing == Doing::waits_for_message);
  CHECK(numbers.processes[1].doing == Doing::ended);
  CHECK_FALSE(numbers.processes[1].queued.has_value());
  CHECK(numbers.P == Approx(.8));
  CHECK(numbers.P_of_run == Approx(.26));
  REQUIRE(numbers.pairs.size() == 2);
  CHECK(numbers.pairs[0].messages == Approx(12.5));
  CHECK(rates_between(before, after, 2, info, true).processes.size() == 3);
}

TEST_CASE("top: a process waits for the one that sends over the channel that it asked", "[top]") {
  TraceInfo info = two_processes_with_threads();
  info.channels = {{ProcessId{0}, "a"}, {ProcessId{0}, "b"}};
  info.channel_sets = {{}, {ChannelId{0}}, {ChannelId{0}, ChannelId{1}}};
  LastEvents last;
  last.on_begin(info);
  const auto event = [](EventType type, std::uint32_t process, std::uint32_t channel, std::uint32_t code) {
    Event made;
    made.type = type;
    made.process.value = process;
    made.channel.value = channel;
    made.code = code;
    return made;
  };
  const auto see = [&last](const Event& seen) { last.on_events({&seen, 1}); };
  see(event(EventType::send, 2, 0, 0));
  see(event(EventType::receive_call, 0, ChannelId::kNone, 1));
  CHECK(last.awaited(info).at(0) == ProcessId{2});
  see(event(EventType::send, 1, 1, 0));
  see(event(EventType::receive_call, 0, ChannelId::kNone, 2));
  CHECK(last.awaited(info).at(0).is_none());  // of either
  see(event(EventType::receive_call, 0, ChannelId::kNone, 0));
  CHECK(last.awaited(info).at(0).is_none());  // any channel

  auto after = totals({seen(0, 0, 0), seen(2, 0, 0)});
  after.awaited = {ProcessId{2}, ProcessId{2}, ProcessId{}};
  const TopNumbers numbers = rates_between(after, after, 1, info, false);
  CHECK(numbers.processes.at(0).waits_for == info.processes[2].name);
  CHECK(waits_text(numbers.processes.at(1)) == "ended");
}

TEST_CASE("top: a row with several threads runs if one of them does", "[top]") {
  using sampling::State;
  const auto of = [](std::vector<State> states) { return state_of_row(states); };
  CHECK(of({}) == std::nullopt);
  CHECK(of({State::futex, State::sleep}) == State::futex);
  CHECK(of({State::futex, State::cpu_run}) == State::cpu_run);
  CHECK(of({State::select, State::disk_io, State::cpu_queue}) == State::cpu_queue);
  for (const sampling::StateInfo& info : sampling::all_states()) CHECK(wait_word(info.state).size() <= 9);
}

TEST_CASE("top: a simulation's second is a second of its own clock", "[top]") {
  TraceInfo info = two_processes_with_threads();
  const auto before = totals({seen(0, 0, 0)});
  auto after = totals({seen(0, 30'000'000'000, 60)});
  after.elapsed_s = 40;
  CHECK(period_between_s(before, after, 1, info) == 1);
  info.properties.scripted = true;
  const double period_s = period_between_s(before, after, 1, info);
  CHECK(period_s == 30);
  CHECK(rates_between(before, after, period_s, info, false).P == Approx(1));
}
