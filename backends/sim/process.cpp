#include "backends/sim/process.hpp"

#include "backends/sim/process_calls.hpp"

namespace dpm::sim {

Process::Process() = default;
Process::~Process() = default;

}  // namespace dpm::sim
