#include "scenarios/behaviour/steps/while.hpp"

#include <fmt/format.h>

#include "model/misuse.hpp"
#include "scenarios/behaviour/performer.hpp"
#include "scenarios/behaviour/step_walk.hpp"

namespace dpm::steps {

const StepWords While::words{
    85, "while", "while", R"({"while": NAME, "at_most": V, "do": [...]})",
    "does steps as long as the comparison holds, `at_least`, `at_most` or `equals`. A loop that "
    "cannot end, and in which no time passes, is refused or ends the run with an error"};

namespace {

constexpr std::uint64_t kRoundsAtOneMoment = 1'000'000;

// Sends take the sender no time, unless its machine's delay model says so: a loop of them alone does not count as going on.
template <typename Step>
constexpr bool leads_on =
    std::is_same_v<Step, Compute> || std::is_same_v<Step, Sleep> || std::is_same_v<Step, Wait> ||
    std::is_same_v<Step, Call> || std::is_same_v<Step, Dispatch> || std::is_same_v<Step, Stop> ||
    std::is_same_v<Step, Create> || std::is_same_v<Step, Suspend> || std::is_same_v<Step, Resume> ||
    std::is_same_v<Step, Destroy> || std::is_same_v<Step, Migrate>;

// Nothing in the loop takes time, ends it, or changes a variable that it may depend on.
bool cannot_end(const While& loop) {
  const bool calculated = loop.criterion.compared.written.starts_with('$');
  bool goes_on = false;
  Steps walked = loop.steps;
  each_step(walked, [&](Step& step) {
    const auto changes = [&](const Variable& variable) {
      return calculated || variable.name == loop.criterion.compared.written;
    };
    if (const auto* set = std::get_if<Set>(&step.what)) goes_on |= changes(set->variable);
    if (const auto* count = std::get_if<Count>(&step.what)) goes_on |= changes(count->variable);
    goes_on |= std::visit([](const auto& what) { return leads_on<std::decay_t<decltype(what)>>; }, step.what);
  });
  return !goes_on;
}

}  // namespace

void While::fields(StepFields& fields) {
  criterion.fields(fields, {"while", "name of a variable, or a calculation"});
  fields.steps({"do", "what"}, steps);
  fields.check([this](const JsonNode& step, const Reading& reading) {
    if (cannot_end(*this))
      reading.problem(step, "this loop can never end: nothing in it changes what it compares, or takes time");
  });
}

void While::perform(Performer& performer, Activity& activity) const {
  std::uint64_t progress = performer.progress(), rounds = 0;
  while (criterion.holds(performer, activity)) {
    performer.perform(steps, activity);
    if (std::exchange(progress, performer.progress()) != progress) rounds = 0;
    if (++rounds == kRoundsAtOneMoment)
      throw Misuse{
          fmt::format("process '{}' has done a loop {} times in which it neither used time nor received a "
                      "message; let the loop end, compute or sleep",
                      performer.calls().name(), rounds)};
  }
}

}  // namespace dpm::steps
