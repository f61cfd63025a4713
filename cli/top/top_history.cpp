#include "cli/top/top_history.hpp"

namespace dpm::cli {
namespace {

void add_to(TopHistory::Curve& curve, const Rates& rates) {
  curve.push_back(rates);
  if (curve.size() > TopHistory::kPeriodsMost) curve.pop_front();
}

}  // namespace

void TopHistory::add(const TopNumbers& numbers) {
  add_to(all_, numbers.all);
  for (const ProcessRates& process : numbers.processes) add_to(processes_[process.process], process.rates);
}

const TopHistory::Curve& TopHistory::of(ProcessId process) const {
  static const Curve none;
  const auto found = processes_.find(process);
  return found == processes_.end() ? none : found->second;
}

}  // namespace dpm::cli
