#include "control/controller/process_states.hpp"
namespace dpm::control {

bool may_become(ProcessState from, ProcessState to) {
  switch (from) {
    case ProcessState::fresh:
      return to == ProcessState::running || to == ProcessState::stopped;
    case ProcessState::running:
      return to == ProcessState::stopped || to == ProcessState::killed;
    case ProcessState::stopped:
      return to == ProcessState::running || to == ProcessState::killed;
    case ProcessState::killed:
    case ProcessState::acquired:
      return false;
  }
  return false;
}

std::optional<ProcessState> after(Action action, ProcessState state) {
  switch (action) {
    case Action::start:
      if (may_become(state, ProcessState::running)) return ProcessState::running;
      return std::nullopt;
    case Action::stop:
      if (may_become(state, ProcessState::stopped)) return ProcessState::stopped;
      return std::nullopt;
    case Action::remove:
      // A running process may end, but cannot be removed: that could end a computation by mistake.
      if (state == ProcessState::stopped) return ProcessState::killed;
      if (state == ProcessState::killed || state == ProcessState::acquired) return state;
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<ProcessState> way_to(ProcessState reported, ProcessState state) {
  if (may_become(state, reported)) return {reported};
  if (state == ProcessState::fresh && reported == ProcessState::killed)
    return {ProcessState::stopped, ProcessState::killed};
  return {};
}

}  // namespace dpm::control
