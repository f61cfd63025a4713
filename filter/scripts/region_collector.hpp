// The regions of a script's definitions, found among primitive events that come causes before effects.
#pragma once

#include <map>
#include <vector>

#include "analysis/vector_clocks/simultaneous_regions.hpp"
#include "filter/scripts/event_evaluator.hpp"

namespace dpm {

class RegionCollector {
 public:
  struct Found {
    Region region;
    std::int64_t begin_ns = 0, end_ns = 0;  // of one that has not ended: 0
  };

  // The script must outlive the collector.
  explicit RegionCollector(const EventScript& script) : script_(script), found_(script.regions.size()) {}

  // `knowledge` of the process after it.
  void add(const PrimitiveOccurrence& occurrence, const Knowledge& knowledge);

  // By process, in its order.
  using ByProcess = std::map<std::uint32_t, std::vector<Found>>;
  const ByProcess& regions(std::size_t definition) const { return found_[definition]; }

 private:
  const EventScript& script_;
  std::vector<ByProcess> found_;  // by definition
};

}  // namespace dpm
