#include "filter/scripts/region_collector.hpp"

#include "filter/scripts/field_condition.hpp"

namespace dpm {

void RegionCollector::add(const PrimitiveOccurrence& occurrence, const Knowledge& knowledge) {
  for (std::size_t r = 0; r < script_.regions.size(); ++r) {
    const RegionDefinition& definition = script_.regions[r];
    const auto is = [&](const RegionDefinition::Edge& edge) {
      return edge.event == occurrence.event && holds(edge.conditions, occurrence);
    };
    if (!definition.is_defined || (!is(definition.begin) && !is(definition.end))) continue;
    std::vector<Found>& of_process = found_[r][occurrence.process];
    const bool is_open = !of_process.empty() && !of_process.back().region.end;
    // An event that both ends and begins (a value that fits both conditions) ends what is open.
    if (is_open && is(definition.end)) {
      of_process.back().region.end = knowledge;
      of_process.back().end_ns = occurrence.time_ns;
    } else if (!is_open && is(definition.begin)) {
      of_process.push_back({{knowledge, std::nullopt}, occurrence.time_ns, 0});
    }
  }
}

}  // namespace dpm
