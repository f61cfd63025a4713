// Figure 4.2 of the metering report, every state with everything that can happen to it.
#include "control/controller/process_states.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "tests/support/catch.hpp"

namespace dpm::control {
namespace {

using S = ProcessState;
constexpr std::array kStates = {S::fresh, S::acquired, S::running, S::stopped, S::killed};

TEST_CASE("states: the arrows are those of figure 4.2 and no others", "[controller]") {
  const std::map<S, std::vector<S>> figure = {{S::fresh, {S::running, S::stopped}},
                                              {S::running, {S::stopped, S::killed}},
                                              {S::stopped, {S::running, S::killed}},
                                              {S::killed, {}},
                                              {S::acquired, {}}};
  for (const auto from : kStates) {
    for (const auto to : kStates) {
      const auto& arrows = figure.at(from);
      INFO(state_name(from) << " to " << state_name(to));
      CHECK(may_become(from, to) == (std::find(arrows.begin(), arrows.end(), to) != arrows.end()));
    }
  }
}

TEST_CASE("states: what each command makes of each state", "[controller]") {
  const std::map<std::pair<Action, S>, std::optional<S>> table = {
      {{Action::start, S::fresh}, S::running},      {{Action::start, S::acquired}, std::nullopt},
      {{Action::start, S::running}, std::nullopt},  {{Action::start, S::stopped}, S::running},
      {{Action::start, S::killed}, std::nullopt},   {{Action::stop, S::fresh}, S::stopped},
      {{Action::stop, S::acquired}, std::nullopt},  {{Action::stop, S::running}, S::stopped},
      {{Action::stop, S::stopped}, std::nullopt},   {{Action::stop, S::killed}, std::nullopt},
      {{Action::remove, S::fresh}, std::nullopt},   {{Action::remove, S::acquired}, S::acquired},
      {{Action::remove, S::running}, std::nullopt}, {{Action::remove, S::stopped}, S::killed},
      {{Action::remove, S::killed}, S::killed},
  };
  for (const auto action : {Action::start, Action::stop, Action::remove}) {
    for (const auto state : kStates) {
      INFO("action " << static_cast<int>(action) << " on " << state_name(state));
      CHECK(after(action, state) == table.at({action, state}));
    }
  }
}

TEST_CASE("states: what each report makes of each state", "[controller]") {
  const std::map<std::pair<S, S>, std::vector<S>> ways = {
      // {reported, state}
      {{S::running, S::fresh}, {S::running}},           {{S::running, S::stopped}, {S::running}},
      {{S::stopped, S::fresh}, {S::stopped}},           {{S::stopped, S::running}, {S::stopped}},
      {{S::killed, S::running}, {S::killed}},           {{S::killed, S::stopped}, {S::killed}},
      {{S::killed, S::fresh}, {S::stopped, S::killed}},  // killed from outside before it began
  };
  for (const auto reported : kStates) {
    for (const auto state : kStates) {
      INFO(state_name(reported) << " reported of one that is " << state_name(state));
      const auto expected = ways.find({reported, state});
      CHECK(way_to(reported, state) == (expected == ways.end() ? std::vector<S>{} : expected->second));
    }
  }
}

TEST_CASE("states: every step of every way is an arrow", "[controller]") {
  for (const auto reported : kStates) {
    for (const auto state : kStates) {
      auto from = state;
      for (const auto step : way_to(reported, state)) {
        CHECK(may_become(from, step));
        from = step;
      }
      for (const auto action : {Action::start, Action::stop, Action::remove})
        if (const auto next = after(action, state)) CHECK((*next == state || may_become(state, *next)));
    }
  }
}

}  // namespace
}  // namespace dpm::control
