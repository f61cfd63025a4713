#include "analysis/levels/levels.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "model/random.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

constexpr std::int64_t kWidthNs = 1000;

TraceInfo info_of(std::uint32_t processes, std::uint16_t machines) {
  TraceInfo info;
  for (std::uint16_t m = 0; m < machines; ++m) info.machines.push_back({"machine" + std::to_string(m), 1});
  for (std::uint32_t p = 0; p < processes; ++p) {
    info.processes.push_back(
        {"process" + std::to_string(p), "p", MachineId{static_cast<std::uint16_t>(p % machines)}, 0, true});
    info.channels.push_back({ProcessId{p}, ""});
  }
  return info;
}

// The obvious way: each amount with the time that it took, looked at again for each window.
class Recount {
 public:
  struct Amount {
    std::uint32_t process;
    std::uint64_t ProcessAmounts::*what;
    double amount;
    std::int64_t from, to;  // run time; the same: a count
  };

  double of(std::uint32_t process, std::uint64_t ProcessAmounts::*what, std::int64_t from, std::int64_t to) const {
    double sum = 0;
    for (const Amount& a : amounts) {
      if (a.process != process || a.what != what) continue;
      if (a.from == a.to) {
        sum += a.from >= from && a.from < to ? a.amount : 0;
      } else {
        const auto shared = std::min(a.to, to) - std::max(a.from, from);
        if (shared > 0) sum += a.amount * static_cast<double>(shared) / static_cast<double>(a.to - a.from);
      }
    }
    return sum;
  }

  std::vector<Amount> amounts;
};

struct Run {
  TraceInfo info;
  std::vector<Event> events;
  Recount recount;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::pair<std::int64_t, std::uint32_t>>> sends;
  std::map<std::uint32_t, std::vector<std::uint64_t>> waits;  // for messages that came, by process
  std::int64_t end = 0;
};

// Processes that work, send, receive and wait, on one clock that shows `zero` at the beginning.
Run random_run(std::uint64_t seed, std::uint32_t processes, std::uint32_t steps, std::int64_t zero) {
  Random random(seed);
  Run run{.info = info_of(processes, 1), .events = {}, .recount = {}, .sends = {}, .waits = {}};
  struct State {
    std::int64_t now = 0;
    std::uint64_t cpu = 0, queue = 0;
  };
  std::vector<State> states(processes);
  const auto emit = [&](std::uint32_t p, EventType type, std::int64_t at, std::uint32_t peer, std::uint32_t bytes,
                        std::uint64_t sequence) {
    Event e;
    e.type = type;
    e.process = ProcessId{p};
    e.peer = ProcessId{peer};
    e.machine = MachineId{0};
    e.channel = ChannelId{p};
    e.local_time = {zero + at};
    e.proc_time_ns = states[p].cpu;
    e.length_bytes = bytes;
    e.sequence = sequence;
    run.events.push_back(e);
    if (states[p].queue > 0 && at > states[p].now)
      run.recount.amounts.push_back({p, &ProcessAmounts::queue_ns,
                                     static_cast<double>(states[p].queue) * static_cast<double>(at - states[p].now),
                                     states[p].now, at});
    states[p].now = at;
    run.end = std::max(run.end, at);
  };
  const auto count = [&](std::uint32_t p, std::uint64_t ProcessAmounts::*what, double amount) {
    run.recount.amounts.push_back({p, what, amount, states[p].now, states[p].now});
  };
  for (std::uint32_t p = 0; p < processes; ++p) emit(p, EventType::start_process, 0, 0, 0, 0);
  for (std::uint32_t i = 0; i < steps; ++i) {
    const auto p = static_cast<std::uint32_t>(random.below(processes));
    const auto peer = static_cast<std::uint32_t>(random.below(processes));
    const auto bytes = static_cast<std::uint32_t>(random.below(5000));
    const std::int64_t from = states[p].now;
    const auto elapsed = static_cast<std::int64_t>(random.chance(.1) ? random.below(50'000) : random.below(900));
    const std::int64_t to = from + elapsed;
    const std::uint64_t cpu = random.below(static_cast<std::uint64_t>(elapsed) + 1);
    const auto works = [&](std::int64_t until) {
      states[p].cpu += cpu;
      if (cpu > 0)
        run.recount.amounts.push_back(
            {p, &ProcessAmounts::cpu_ns, static_cast<double>(cpu), from, std::max(until, from + 1)});
    };
    switch (random.below(4)) {
      case 0:
        works(to);
        emit(p, EventType::send, to, peer, bytes, i);
        count(p, &ProcessAmounts::sent, 1);
        count(p, &ProcessAmounts::sent_bytes, bytes);
        run.sends[{p, peer}].push_back({to, bytes});
        break;
      case 1: {  // asks and gets
        emit(p, EventType::receive_call, from, peer, 0, 0);
        works(to);
        if (elapsed > static_cast<std::int64_t>(cpu))
          run.recount.amounts.push_back(
              {p, &ProcessAmounts::waiting_ns, static_cast<double>(elapsed) - static_cast<double>(cpu), from, to});
        emit(p, EventType::receive, to, peer, bytes, i);
        run.waits[p].push_back(static_cast<std::uint64_t>(elapsed) - cpu);
        count(p, &ProcessAmounts::received, 1);
        count(p, &ProcessAmounts::received_bytes, bytes);
        if (states[p].queue > 0) --states[p].queue;
        break;
      }
      case 2: {  // works, then waits for a child
        const auto waited = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(elapsed) / 2 + 1));
        works(to - waited);
        if (waited > 0)
          run.recount.amounts.push_back({p, &ProcessAmounts::waiting_ns, static_cast<double>(waited), to - waited, to});
        emit(p, EventType::wait, to, peer, 0, static_cast<std::uint64_t>(waited));
        break;
      }
      default:
        works(to);
        emit(p, EventType::message_queued, to, peer, bytes, i);
        ++states[p].queue;
    }
  }
  for (std::uint32_t p = 0; p < processes; ++p) emit(p, EventType::destroy_process, run.end, p, 0, 0);
  return run;
}

LevelsAnalysis levels_of(const Run& run, LevelsOptions options) {
  LevelsAnalysis levels(options);
  levels.on_begin(run.info);
  for (std::size_t i = 0; i < run.events.size(); i += 64)
    levels.on_events(std::span(run.events).subspan(i, std::min<std::size_t>(64, run.events.size() - i)));
  levels.on_end({});
  return levels;
}

std::vector<RunTime> random_edges(Random& random, std::int64_t end, std::int64_t width_ns) {
  std::vector<RunTime> edges;
  for (int i = 0; i < 9; ++i)
    edges.push_back({static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(end + 2 * width_ns))) /
                     width_ns * width_ns});
  edges.push_back({0});
  std::sort(edges.begin(), edges.end());
  return edges;
}

std::optional<std::size_t> pair_between(const LevelsAnalysis& levels, ProcessId from, ProcessId to) {
  for (std::size_t pair = 0; pair < levels.pairs(); ++pair)
    if (levels.ends_of(pair).from == from && levels.ends_of(pair).to == to) return pair;
  return std::nullopt;
}

void check_all(const Run& run, const LevelsAnalysis& levels, const std::vector<RunTime>& edges) {
  constexpr std::uint64_t ProcessAmounts::*kAll[] = {
      &ProcessAmounts::cpu_ns,   &ProcessAmounts::waiting_ns, &ProcessAmounts::queue_ns,      &ProcessAmounts::sent,
      &ProcessAmounts::received, &ProcessAmounts::sent_bytes, &ProcessAmounts::received_bytes};
  for (std::uint32_t p = 0; p < run.info.processes.size(); ++p) {
    const auto amounts = levels.of(ProcessId{p}, edges);
    REQUIRE(amounts.size() == edges.size() - 1);
    for (std::size_t i = 0; i < amounts.size(); ++i)
      for (std::size_t what = 0; what < std::size(kAll); ++what) {
        INFO("process " << p << " amount " << what << " from " << edges[i].ns << " to " << edges[i + 1].ns);
        const double expected = run.recount.of(p, kAll[what], edges[i].ns, edges[i + 1].ns);
        // What takes time is rounded down to nanoseconds wherever an event's interval is cut.
        const double margin = what < 3 ? 4 + expected * 1e-9 + 2 : 0;
        CHECK(static_cast<double>(amounts[i].*kAll[what]) == Approx(expected).margin(margin).epsilon(0));
      }
  }
  for (const auto& [p, waits] : run.waits) {
    const WaitCounts counts = levels.waits_of(ProcessId{p});
    CHECK(counts.sum_ns == std::accumulate(waits.begin(), waits.end(), std::uint64_t{0}));
    CHECK(std::accumulate(counts.counts.begin(), counts.counts.end(), std::uint64_t{0}) == waits.size());
  }
  for (const auto& [ends, messages] : run.sends) {
    const auto pair = pair_between(levels, ProcessId{ends.first}, ProcessId{ends.second});
    REQUIRE(pair.has_value());
    const auto amounts = levels.of_pair(*pair, edges);
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      std::uint64_t count = 0, bytes = 0;
      for (const auto& [at, length] : messages)
        if (at >= edges[i].ns && at < edges[i + 1].ns) ++count, bytes += length;
      CHECK(amounts[i] == PairAmounts{count, bytes});
    }
  }
}

}  // namespace

TEST_CASE("levels: windows on the edges of bins are as if each event were looked at again", "[levels]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    // A clock that begins at the edge of a bin, so that run times are on the edges of bins.
    const Run run = random_run(seed, 4, 600, static_cast<std::int64_t>(random.below(1'000'000)) * kWidthNs - 5'000'000);
    const auto levels = levels_of(run, {.finest_ns = kWidthNs});
    check_all(run, levels, random_edges(random, run.end, kWidthNs));
  }
}

TEST_CASE("levels: each wait is counted below the first bound that is not less than it", "[levels]") {
  Random random(1);
  WaitCounts counts;
  std::vector<std::uint64_t> waits;
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t bound = WaitCounts::kBounds_ns[random.below(WaitCounts::kBounds_ns.size())];
    waits.push_back(random.chance(.3) ? bound : random.below(2 * bound));
    counts.add(waits.back());
  }
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < WaitCounts::kBounds_ns.size(); ++i) {
    so_far += counts.counts[i];
    const auto below = [i](std::uint64_t wait) { return wait <= WaitCounts::kBounds_ns[i]; };
    CHECK(so_far == static_cast<std::uint64_t>(std::count_if(waits.begin(), waits.end(), below)));
  }
}

TEST_CASE("levels: a budget makes bins wider, and what is left stays exact", "[levels]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const Run run = random_run(seed, 3, 3000, 0);
    const std::size_t budget = 15'000 + random.below(40'000);
    const auto levels = levels_of(run, {.finest_ns = kWidthNs, .bytes_max = budget});
    CHECK(levels.bytes() <= budget);
    const std::int64_t width_ns = levels.width_ns_at({0});
    CHECK(width_ns > kWidthNs);
    CHECK(levels.width_ns_at({run.end - 1}) == kWidthNs);  // the newest is as fine as ever
    check_all(run, levels, random_edges(random, run.end, width_ns));
  }
}

TEST_CASE("levels: the parts of any partition of time add up to the whole", "[levels]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    Random random(seed + 100);
    const Run run = random_run(seed, 3, 2000, 77);
    for (const std::size_t budget : {std::size_t{1} << 26, std::size_t{30'000}}) {
      const auto levels = levels_of(run, {.finest_ns = kWidthNs, .bytes_max = budget});
      std::vector<RunTime> edges = random_edges(random, run.end, 1);
      const std::vector<RunTime> ends = {edges.front(), edges.back()};
      for (std::uint32_t p = 0; p < 3; ++p) {
        ProcessAmounts sum;
        for (const auto& part : levels.of(ProcessId{p}, edges)) sum += part;
        CHECK(sum == levels.of(ProcessId{p}, ends).front());
      }
      for (std::size_t pair = 0; pair < levels.pairs(); ++pair) {
        PairAmounts sum;
        for (const auto& part : levels.of_pair(pair, edges)) sum += part;
        CHECK(sum == levels.of_pair(pair, ends).front());
      }
    }
  }
}

TEST_CASE("levels: a process that waits now waits until the last event of its machine", "[levels]") {
  const TraceInfo info = info_of(2, 1);
  LevelsAnalysis levels({.finest_ns = kWidthNs});
  levels.on_begin(info);
  Event call;
  call.type = EventType::receive_call;
  call.process = ProcessId{0};
  call.machine = MachineId{0};
  Event later = call;
  later.process = ProcessId{1};
  later.type = EventType::start_process;
  later.local_time = {50 * kWidthNs};
  levels.on_events(std::vector{call, later});
  const std::vector<RunTime> edges = {{0}, {10 * kWidthNs}, {100 * kWidthNs}};
  const auto amounts = levels.of(ProcessId{0}, edges);
  CHECK(amounts[0].waiting_ns == 9 * kWidthNs);  // not in the bin of its last event
  CHECK(amounts[1].waiting_ns == 40 * kWidthNs);
  CHECK(levels.doing(ProcessId{0}) == LevelsAnalysis::Doing::waits_for_message);
}

TEST_CASE("levels: pairs beyond the limit are summed", "[levels]") {
  const Run run = random_run(1, 6, 500, 0);
  const auto levels = levels_of(run, {.finest_ns = kWidthNs, .pairs_max = 5});
  CHECK(levels.pairs() == 6);
  const std::vector<RunTime> edges = {{-kWidthNs}, {run.end + kWidthNs}};
  std::uint64_t messages = 0, sends = 0;
  for (std::size_t pair = 0; pair < levels.pairs(); ++pair) messages += levels.of_pair(pair, edges).front().messages;
  for (const auto& [ends, of] : run.sends) sends += of.size();
  CHECK(messages >= sends);  // the rest also has the RECEIVEs of pairs whose SENDs came too late to be known
}

TEST_CASE("levels: what a process used before it was acquired is not of this run", "[levels]") {
  TraceInfo info = info_of(1, 1);
  info.processes[0].acquired = true;
  LevelsAnalysis levels;
  levels.on_begin(info);
  Event event;
  event.process = ProcessId{0};
  event.peer = ProcessId{0};
  event.machine = MachineId{0};
  event.proc_time_ns = 5'000'000'000;
  Event next = event;
  next.local_time = {2'000'000'000};
  next.proc_time_ns += 1'000'000'000;
  levels.on_events(std::vector{event, next});
  const std::vector<RunTime> all = {{-10'000'000'000}, {1'000'000'000}, {10'000'000'000}};
  CHECK(levels.of(ProcessId{0}, all)[0].cpu_ns == Approx(500'000'000).margin(1'000'000));
  CHECK(levels.of(ProcessId{0}, all)[0].cpu_ns + levels.of(ProcessId{0}, all)[1].cpu_ns == 1'000'000'000);
}
