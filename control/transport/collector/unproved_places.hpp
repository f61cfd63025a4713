// Which connections may wait until they have proved their key. A part of the places is for networks from which a meter came
// before; strangers have the rest, and neither displaces the other. No I/O.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "control/transport/collector/fair_places.hpp"
#include "control/transport/frames/recent_set.hpp"

namespace dpm {

class UnprovedPlaces {
 public:
  using Number = FairPlaces::Number;
  static constexpr std::size_t kKnownMax = 4096;  // networks

  explicit UnprovedPlaces(std::size_t max) : strangers_(max - max / 4), known_(max / 4) {}

  // Returns which connection must go.
  std::optional<Number> enter(Number number, const std::string& network);
  void leave(Number number);
  // A stranger if there is one.
  std::optional<Number> evict();
  // A meter came from there.
  void note_meter(const std::string& network) { networks_.add(network); }
  std::size_t taken() const { return strangers_.taken() + known_.taken(); }

 private:
  FairPlaces strangers_, known_;
  RecentSet<std::string> networks_{kKnownMax};  // that meters came from
};

}  // namespace dpm
