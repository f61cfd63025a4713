#include "analysis/vector_clocks/running_clocks.hpp"

namespace dpm {

const VectorClock& RunningClocks::perform(std::uint32_t process) {
  State& state = state_of(process);
  state.clock.raise(process, ++state.count);
  return state.clock;
}

void RunningClocks::learn(std::uint32_t process, const Knowledge& knowledge) {
  State& state = state_of(process);
  if (knowledge.others == nullptr || knowledge.process == process) return;
  // What came later from the same process includes what came before.
  if (state.clock.count_of(knowledge.process) >= knowledge.count) return;
  state.clock.join(*knowledge.others);
  state.clock.raise(knowledge.process, knowledge.count);
  state.told = nullptr;
}

Knowledge RunningClocks::knowledge_of(std::uint32_t process) {
  State& state = state_of(process);
  if (state.told == nullptr) state.told = std::make_shared<const VectorClock>(state.clock);
  return {state.told, process, state.count};
}

std::uint32_t RunningClocks::count_of(std::uint32_t process) const {
  return process < states_.size() ? states_[process].count : 0;
}

RunningClocks::State& RunningClocks::state_of(std::uint32_t process) {
  if (process >= states_.size()) states_.resize(process + 1);
  return states_[process];
}

}  // namespace dpm
