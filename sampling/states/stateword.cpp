#include "sampling/states/stateword.hpp"

namespace dpm::sampling {

Stateword::Stateword(State state) : bits_(bit(info_of(state).resource, info_of(state).part)) {}

}  // namespace dpm::sampling
