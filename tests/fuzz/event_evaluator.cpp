// links: dpm_filter_scripts dpm_vector_clocks
// High-level events over any events: the lines before an empty one are definitions (behind those of five primitive events), and each
// four bytes after it are an event, a message or the passing of time. What is found is made of what happened, in time, and is counted.
#include "filter/scripts/event_evaluator.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/vector_clocks/running_clocks.hpp"
#include "model/check.hpp"

namespace {

using namespace dpm;

constexpr std::string_view kPrimitives =
    "process p from prog\n"
    "event a is integer_assign on a at *.p.f\n"
    "event b is integer_assign on b at *.p.f\n"
    "event c is integer_assign on c at *.p.f\n"
    "event d is SEND on * at *.p.*\n"
    "event e is ACCEPT on * at *.p.*\n";
constexpr std::size_t kEvents = 5, kProcesses = 4;

class Story {
 public:
  explicit Story(const EventScript& script)
      : reported_(script.high_level.size()),
        evaluator_(script, [this](const HighLevelOccurrence& found) { check(found); }) {}

  void happen(const std::uint8_t* step) {
    const std::uint32_t process = step[0] % kProcesses, other = step[1] % kProcesses;
    time_ns_ += step[2];
    switch (step[0] / kProcesses % 4) {
      case 0:
        clocks_.perform(process);
        clocks_.learn(other, clocks_.knowledge_of(process));
        clocks_.perform(other);
        return;
      case 1:
        evaluator_.time_is(time_ns_ += std::int64_t{step[3]} * 1000);
        return;
      default:
        const VectorClock& clock = clocks_.perform(process);
        PrimitiveOccurrence occurrence{step[1] % kEvents, process, clocks_.count_of(process), time_ns_, {}};
        occurrence.fields = {step[3] % 8, process, other, step[3] / 8 % 4, step[3] / 32};
        ++happened_;
        evaluator_.add(occurrence, clock);
    }
  }

  void end(const EventScript& script) {
    evaluator_.time_is(time_ns_ + 1'000'000'000'000);
    for (std::size_t h = 0; h < reported_.size(); ++h) {
      const HighLevelEvent& event = script.high_level[h];
      const bool is_only_counted = event.actions.size() == 1 && event.does(HighLevelActionKind::count);
      DPM_CHECK(reported_[h] == (is_only_counted ? 0 : evaluator_.count_of(h)));
    }
    DPM_CHECK(evaluator_.given_up() == 0);
  }

 private:
  void check(const HighLevelOccurrence& found) {
    ++reported_[found.event];
    DPM_CHECK(!found.parts.empty() && found.parts.size() <= happened_);
    for (const PrimitiveOccurrence& part : found.parts)
      DPM_CHECK(part.time_ns <= found.time_ns && part.event < kEvents && part.process < kProcesses);
  }

  std::vector<std::uint64_t> reported_;
  RunningClocks clocks_;
  std::int64_t time_ns_ = 0;
  std::uint64_t happened_ = 0;
  EventEvaluator evaluator_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find("\n\n");
  if (end == std::string_view::npos) return 0;
  const auto script = parse_event_script("fuzz", std::string(kPrimitives) + std::string(input.substr(0, end + 1)));
  if (!script || script->events.size() != kEvents) return 0;
  Story story(*script);
  for (std::size_t at = end + 2; at + 4 <= size; at += 4) story.happen(data + at);
  story.end(*script);
  return 0;
}
