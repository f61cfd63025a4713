#include "analysis/history/request_queues.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace dpm {

QueuedWork::QueuedWork(const History& history, const RequestQueues& rules) : history_(history) {
  for (const RequestQueue& queue : rules.queues) states_[queue.process].rule = &queue;
}

void QueuedWork::begin() {
  for (auto& [p, state] : states_) {
    state = {state.rule, {}, nullptr, 0, {}, history_.first_event[p + 1] - history_.first_event[p] - 1};
    if (state.rule->semaphore) state.units = state.rule->semaphore->units;
  }
}

QueuedWork::Next QueuedWork::after(std::uint32_t p, std::uint32_t event) {
  State& state = states_.at(p);
  if (state.left > 0) --state.left;
  if (state.left == 0) return {Next::Kind::event, history_.first_event[p + 1] - 1};
  const auto request = state.rule->work_of.find(event);
  if (request != state.rule->work_of.end()) {
    state.units += state.is_give(event) ? 1 : 0;
    if (!request->second.events.empty()) state.held.push_back(event);
    if (state.work != nullptr) return {Next::Kind::stand, (*state.work)[state.at]};
  } else {
    if (state.work == nullptr) return {};
    if (event != (*state.work)[state.at]) {  // of a later work, or of an earlier one: it comes before it is waited for
      state.early.insert(event);
      return {Next::Kind::stand, (*state.work)[state.at]};
    }
    do ++state.at;
    while (state.at < state.work->size() && state.early.erase((*state.work)[state.at]) > 0);
    if (state.at < state.work->size()) return {Next::Kind::event, (*state.work)[state.at]};
    state.work = nullptr;
  }
  if (!state.rule->takes_all_first) {
    const std::uint32_t next = choose(p);
    if (next != kNoEvent) return {Next::Kind::event, next};
  }
  return {Next::Kind::receive_or_choose, kNoEvent};
}

std::uint32_t QueuedWork::choose(std::uint32_t p) {
  State& state = states_.at(p);
  if (state.held.empty() || state.work != nullptr) return kNoEvent;
  const auto& rule = *state.rule;
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    return rule.before[rule.work_of.at(a).rank_class][rule.work_of.at(b).rank_class];
  };
  const auto first = std::find_if(state.held.begin(), state.held.end(), [&](std::uint32_t request) {
    return std::none_of(state.held.begin(), state.held.end(),
                        [&](std::uint32_t other) { return is_before(other, request); });
  });
  DPM_CHECK(first != state.held.end());  // the finder accepts no circle of classes
  if (state.is_take(*first)) {
    if (state.units == 0) return kNoEvent;
    --state.units;
  }
  state.work = &rule.work_of.at(*first).events;
  state.at = 0;
  state.held.erase(first);
  return state.work->front();
}

}  // namespace dpm
