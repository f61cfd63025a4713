// links: dpm_vector_clocks
// Vector clocks of 10^7 events of 1,000 processes that send to each other at random: time, and memory beside what describes the
// events; against clocks that are arrays from the beginning and are copied for each message.
#include "analysis/vector_clocks/vector_clocks.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <deque>
#include <random>
#include <unordered_map>

#include "bench/measure.hpp"

namespace {

using namespace dpm;

struct Computation {
  std::vector<std::uint32_t> process_of;
  std::vector<CausalArc> arcs;
};

// A process that has a message takes it in two of three turns, and sends one to any process otherwise.
Computation computation_of(std::uint32_t events, std::uint32_t processes) {
  Computation computation;
  std::minstd_rand random(1);
  std::vector<std::deque<std::uint32_t>> waiting(processes);
  for (std::uint32_t event = 0; event < events; ++event) {
    const auto process = static_cast<std::uint32_t>(random() % processes);
    computation.process_of.push_back(process);
    if (!waiting[process].empty() && random() % 3 != 0) {
      computation.arcs.push_back({waiting[process].front(), event});
      waiting[process].pop_front();
    } else {
      waiting[random() % processes].push_back(event);
    }
  }
  return computation;
}

long resident_most_kb() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

std::uint64_t with_ours(const Computation& computation, std::uint32_t processes) {
  std::uint64_t sum = 0;
  VectorClocks(computation.process_of, processes, computation.arcs)
      .visit([&](std::uint32_t event, const VectorClock& clock) { sum += clock.count_of(event % processes); });
  return sum;
}

std::uint64_t with_arrays(const Computation& computation, std::uint32_t processes) {
  using Clock = std::vector<std::uint32_t>;
  std::vector<Clock> now(processes, Clock(processes));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cause_of;  // of an effect
  for (const CausalArc& arc : computation.arcs) cause_of.emplace_back(arc.effect, arc.cause);
  std::vector<bool> causes(computation.process_of.size());
  for (const CausalArc& arc : computation.arcs) causes[arc.cause] = true;
  std::unordered_map<std::uint32_t, Clock> sent;
  std::size_t next = 0;
  std::uint64_t sum = 0;
  for (std::uint32_t event = 0; event < computation.process_of.size(); ++event) {
    Clock& clock = now[computation.process_of[event]];
    if (next < cause_of.size() && cause_of[next].first == event) {
      const auto found = sent.find(cause_of[next++].second);
      for (std::uint32_t i = 0; i < processes; ++i) clock[i] = std::max(clock[i], found->second[i]);
      sent.erase(found);
    }
    ++clock[computation.process_of[event]];
    if (causes[event]) sent.emplace(event, clock);
    sum += clock[event % processes];
  }
  return sum;
}

}  // namespace

int main() {
  constexpr std::uint32_t kProcesses = 1000, kEvents = 10'000'000, kFew = 500'000;
  {
    const Computation few = computation_of(kFew, kProcesses);
    if (with_ours(few, kProcesses) != with_arrays(few, kProcesses)) return std::printf("the clocks differ\n"), 1;
    print_ratio("vector clocks", Way{"lists and arrays", [&] { with_ours(few, kProcesses); }},
                Way{"copied arrays", [&] { with_arrays(few, kProcesses); }}, kFew, "event");
  }
  const Computation all = computation_of(kEvents, kProcesses);
  const long before_kb = resident_most_kb();
  const auto work = [&] { with_ours(all, kProcesses); };
  const std::clock_t began = std::clock();
  work();
  const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  std::printf(
      "10^7 events of 1,000 processes: %.1f s of CPU time, %.1f bytes an event beside the events and a copy of their "
      "arcs\n",
      seconds, static_cast<double>(resident_most_kb() - before_kb) * 1024 / kEvents);
}
