#include "analysis/difference/amounts.hpp"

namespace dpm {

std::vector<std::string> names_of(const RunProfile& run) {
  std::vector<std::string> names;
  for (const ProcessProfile& process : run.processes) names.push_back(process.name);
  return names;
}

std::vector<std::string> names_of(const RunProfile& run, const RunProfile& first, const Alignment& alignment) {
  std::vector<std::string> names = names_of(run);
  for (std::size_t p = 0; p < names.size(); ++p)
    if (const auto in_first = alignment.a_of_b[p]) names[p] = first.processes[*in_first].name;
  return names;
}

Amounts amounts_of(const RunProfile& run, const std::vector<std::string>& names) {
  Amounts amounts;
  for (const TimePart& part : run.elapsed)
    amounts[{Measure::elapsed, names[part.process], part.rival, part.doing}] += part.time_s;
  for (std::size_t p = 0; p < run.processes.size(); ++p)
    amounts[{Measure::cpu, names[p], "", ""}] += run.processes[p].cpu_s;
  for (const PairProfile& pair : run.pairs) {
    amounts[{Measure::messages, names[pair.from], names[pair.to], ""}] += static_cast<double>(pair.messages);
    amounts[{Measure::bytes, names[pair.from], names[pair.to], ""}] += static_cast<double>(pair.bytes);
  }
  return amounts;
}

double total(const Amounts& amounts, Measure measure) {
  double sum = 0;
  for (const auto& [name, amount] : amounts)
    if (name.measure == measure) sum += amount;
  return sum;
}

}  // namespace dpm
