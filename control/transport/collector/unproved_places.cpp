#include "control/transport/collector/unproved_places.hpp"

namespace dpm {

std::optional<UnprovedPlaces::Number> UnprovedPlaces::enter(Number number, const std::string& network) {
  return networks_.contains(network) ? known_.enter(number, network) : strangers_.enter(number, network);
}

void UnprovedPlaces::leave(Number number) {
  strangers_.leave(number);
  known_.leave(number);
}

std::optional<UnprovedPlaces::Number> UnprovedPlaces::evict() {
  const auto stranger = strangers_.evict();
  return stranger ? stranger : known_.evict();
}

}  // namespace dpm
