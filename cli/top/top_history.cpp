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
  for (const ProcessRates& process : numbers.processes) {
    const bool is_gone = process.doing == Doing::ended && process.rates == Rates{};
    if (is_gone) processes_.erase(process.process);
    if (!is_gone) add_to(processes_[process.process], process.rates);
  }
}

const TopHistory::Curve& TopHistory::of(ProcessId process) const {
  static const Curve none;
  const auto found = processes_.find(process);
  return found == processes_.end() ? none : found->second;
}

}  // namespace dpm::cli
