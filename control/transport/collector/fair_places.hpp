// A bounded number of places for connections, shared fairly between those they come from: when one too many enters, the
// first to go is from where most are, and of these the oldest. So a flood displaces itself, unless it comes from more
// sources than there are places. No I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace dpm {

class FairPlaces {
 public:
  using Number = std::uint64_t;  // of a connection

  explicit FairPlaces(std::size_t max) : max_(max) {}

  // Later ones have higher numbers. Returns which one must go, if there are too many now; it has left.
  std::optional<Number> enter(Number number, const std::string& from);
  void leave(Number number);  // or it has none
  // To make room for something else.
  std::optional<Number> evict();
  std::size_t taken() const { return from_.size(); }

 private:
  std::size_t max_;
  std::map<std::string, std::deque<Number>> numbers_;  // by where they come from; the oldest first
  std::map<Number, std::string> from_;
};

}  // namespace dpm
