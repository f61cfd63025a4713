#include "analysis/blame/cpu_contention.hpp"

#include <algorithm>
#include <iterator>

namespace dpm {
namespace {

constexpr std::int64_t kWhole = 1 << 20;  // one process: whole numbers add up to exactly 0 at the end

}  // namespace

void CpuContention::add(MachineId machine, std::int64_t from_ns, std::int64_t to_ns, std::int64_t wanted_ns) {
  if (to_ns <= from_ns || wanted_ns <= 0) return;
  if (steps_.size() <= machine.value) steps_.resize(machine.value + 1);
  const auto part =
      static_cast<std::int64_t>(static_cast<double>(wanted_ns) / static_cast<double>(to_ns - from_ns) * kWhole);
  steps_[machine.value].push_back({from_ns, part});
  steps_[machine.value].push_back({to_ns, -part});
}

void CpuContention::settle(MachineId machine, std::uint16_t cores) {
  if (machine.value >= steps_.size()) return;
  auto& steps = steps_[machine.value];
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.at_ns < b.at_ns; });
  const std::int64_t served = kWhole * std::max<std::int64_t>(cores, 1);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Step& step = steps[i];
    if (i > 0) {
      step.wanting += steps[i - 1].wanting;
      step.lacked_ns =
          steps[i - 1].lacked_ns + steps[i - 1].lacks * static_cast<double>(step.at_ns - steps[i - 1].at_ns);
    }
    if (step.wanting > served) step.lacks = 1 - static_cast<double>(served) / static_cast<double>(step.wanting);
  }
}

double CpuContention::lacked_until_ns(MachineId machine, std::int64_t at_ns) const {
  if (machine.value >= steps_.size()) return 0;
  const auto& steps = steps_[machine.value];
  const auto after =
      std::partition_point(steps.begin(), steps.end(), [&](const Step& step) { return step.at_ns <= at_ns; });
  if (after == steps.begin()) return 0;
  const Step& step = *std::prev(after);
  return step.lacked_ns + step.lacks * static_cast<double>(at_ns - step.at_ns);
}

}  // namespace dpm
