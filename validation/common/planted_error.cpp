#include "validation/common/planted_error.hpp"

#include <algorithm>
#include <span>

#include "analysis/prediction/what_if.hpp"

namespace dpm::validation {
namespace {

constexpr double kDelayFactor = 1.2;

std::span<HistoryEvent> events_of(History& history, std::uint32_t process) {
  const std::uint32_t first = history.first_event[process];
  return std::span(history.events).subspan(first, history.first_event[process + 1] - first);
}

std::uint64_t cpu_ns(std::span<const HistoryEvent> events) {
  std::uint64_t sum = 0;
  for (const auto& event : events) sum += event.cpu_ns;
  return sum;
}

void halve_busiest(History& history) {
  std::uint32_t busiest = 0;
  for (std::uint32_t p = 1; p < history.process_count(); ++p)
    if (cpu_ns(events_of(history, p)) > cpu_ns(events_of(history, busiest))) busiest = p;
  for (auto& event : events_of(history, busiest)) event.cpu_ns /= 2;
}

}  // namespace

void plant_error(const std::string& name, History& history) {
  if (name == "delays") scale_all_delays(history.info.delays, kDelayFactor);
  if (name == "cpu") halve_busiest(history);
}

PredictOptions with_error(const std::string& name, PredictOptions options) {
  if (name == "order") options.order = Order::recorded;
  return options;
}

Order with_error(const std::string& name, Order order) { return name == "order" ? Order::recorded : order; }

}  // namespace dpm::validation
