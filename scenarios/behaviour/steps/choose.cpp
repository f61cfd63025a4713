#include "scenarios/behaviour/steps/choose.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/behaviour/performer.hpp"
#include "scenarios/behaviour/quantity_reader.hpp"

namespace dpm::steps {

const StepWords Choose::words{
    70, "choose", "choose", R"({"choose": [{"weight": W, "do": [...]}, ...]})",
    "does one of several branches; with `\"dealt\": true` each as often as its weight, a whole number, says, in random "
    "order, before the next round; with `\"in_order\": [1, 2, 1]` one after the other, each as often in a row as "
    "`\"times\": [5, 1, 9]` says"};

namespace {

void check_order(const Choose& choose, const JsonNode& step, const Reading& reading) {
  const JsonNode* order = step.find("in_order");
  const JsonNode* times = step.find("times");
  if (order == nullptr) {
    if (times != nullptr) reading.problem(*times, "'times' belongs to 'in_order'");
    return;
  }
  const bool known = std::all_of(choose.order.begin(), choose.order.end(),
                                 [&](auto branch) { return branch >= 1 && branch <= choose.branches.size(); });
  if (choose.order.empty() || !known)
    reading.problem(*order, fmt::format("'in_order' lists branches of the choice: 1 is the first, {} the last",
                                        choose.branches.size()));
  if (times == nullptr) return;
  const bool positive = std::all_of(choose.times.begin(), choose.times.end(), [](auto n) { return n > 0; });
  if (choose.times.size() != choose.order.size() || !positive)
    reading.problem(*times, "'times' says of each branch of 'in_order' how often it comes: at least once");
}

}  // namespace

void Choose::fields(StepFields& fields) {
  fields.branches({"choose", "the branches"}, branches);
  fields.flag({"dealt",
               "true: each branch as often as its weight, a whole number, says, in random order, then all of them "
               "again; false unless given"},
              dealt);
  fields.wholes({"in_order",
                 "which branch comes when, instead of drawing: 1 is the first; after the last of the list it begins "
                 "again"},
                order, {});
  fields.wholes({"times", "how often each of in_order comes in a row; once unless given"}, times, kRepeats);
  fields.remembers(slot);
  fields.check([this](const JsonNode& step, const Reading& reading) {
    const JsonNode& at = *step.find("choose");
    if (!at.is(JsonKind::list)) return;
    for (const ChoiceBranch& branch : branches) weights.push_back(branch.weight);
    check_weights(weights, at, reading);
    if (dealt) check_counts(weights, at, reading);
    check_order(*this, step, reading);
    if (times.empty()) times.assign(order.size(), 1);
  });
}

void Choose::perform(Performer& performer, Activity& activity) const {
  Memory& memory = performer.memory(slot);
  if (order.empty()) {
    const std::size_t chosen =
        dealt ? memory.deck.deal(weights, *activity.draws) : draw_weighted(weights, *activity.draws);
    return performer.perform(branches[chosen].steps, activity);
  }
  const std::uint64_t chosen = order[memory.at];
  if (++memory.times == times[memory.at]) memory.at = (memory.at + 1) % order.size(), memory.times = 0;
  performer.perform(branches[chosen - 1].steps, activity);
}

}  // namespace dpm::steps
