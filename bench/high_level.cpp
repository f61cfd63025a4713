// links: dpm_filter_scripts dpm_vector_clocks
// High-level events: a two-part "then" with a variable, on one core, against going through the same events without it.
#include <cstdio>

#include "analysis/vector_clocks/running_clocks.hpp"
#include "bench/measure.hpp"
#include "filter/scripts/event_evaluator.hpp"

namespace {

using namespace dpm;

constexpr std::uint32_t kProcesses = 16;
constexpr std::uint64_t kEvents = std::uint64_t{kProcesses} * 16 * 8000;  // whole rounds of eight of each kind

// Each process does both in turn; up to eight connections of it wait.
std::uint64_t evaluate(const EventScript& script) {
  EventEvaluator evaluator(script, [](const HighLevelOccurrence&) {});
  RunningClocks clocks;
  for (std::uint64_t i = 0; i < kEvents; ++i) {
    const auto process = static_cast<std::uint32_t>(i % kProcesses);
    const VectorClock& clock = clocks.perform(process);
    const std::uint64_t turn = i / kProcesses;
    PrimitiveOccurrence occurrence{turn / 8 % 2, process, clocks.count_of(process), static_cast<std::int64_t>(i), {}};
    occurrence.fields[4] = static_cast<std::int64_t>(process * 8 + turn % 8);
    evaluator.add(occurrence, clock);
  }
  return script.high_level.empty() ? 0 : evaluator.count_of(0);
}

}  // namespace

int main() {
  const std::string primitives =
      "process p from prog\nevent a is integer_assign on a at *.p.f\nevent b is integer_assign on b at *.p.f\n";
  const EventScript without = parse_event_script("bench", primitives).value();
  const EventScript with =
      parse_event_script("bench", primitives + "when x is a(connection = $c) then b(connection = $c)\n").value();
  if (evaluate(with) != kEvents / 2) return std::printf("wrong count: %lu\n", evaluate(with)), 1;
  print_ratio("a two-part then", Way{"events without it", [&] { evaluate(without); }},
              Way{"events with it", [&] { evaluate(with); }}, kEvents, "event");
}
