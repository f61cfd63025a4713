#include "analysis/twin/endings.hpp"

#include <algorithm>

namespace dpm::twin {
namespace {

bool stops(const std::vector<TwinStep>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const TwinStep& step) {
    return step.what == Do::stop || step.what == Do::end_after || stops(step.steps) || stops(step.otherwise) ||
           stops(step.rest) || std::any_of(step.branches.begin(), step.branches.end(), stops);
  });
}

bool ends(const TwinGroup& group) {
  const auto& handlers = group.program.handlers;
  return handlers.empty() ||
         std::any_of(handlers.begin(), handlers.end(), [](const auto& handler) { return stops(handler.steps); });
}

}  // namespace

void give_an_end(const Material& material, Twin& twin) {
  if (std::any_of(twin.groups.begin(), twin.groups.end(), ends)) return;
  const bool any_outside = std::any_of(twin.groups.begin(), twin.groups.end(),
                                       [](const TwinGroup& group) { return group.unmetered && group.count == 1; });
  for (TwinGroup& group : twin.groups) {
    if (group.count != 1 || (any_outside && !group.unmetered)) continue;
    TwinStep end;
    end.what = Do::end_after;
    end.times = material.conducts.of[group.processes.front()].activities.size() - 1;
    for (TwinHandler& handler : group.program.handlers) handler.steps.push_back(end);
  }
}

}  // namespace dpm::twin
