// Two bits for each resource: queueing for it, running on it (S4 2.3). The stateword of a virtual process is the OR of those
// of its threads (S4 3.1).
//
//   bit  2r+1  2r  ...  3    2    1    0
//        run   q        run  q    run  q
//        resource r     process   cpu
#pragma once

#include <cstdint>

#include "sampling/states/state.hpp"

namespace dpm::sampling {

class Stateword {
 public:
  constexpr Stateword() = default;
  constexpr explicit Stateword(std::uint64_t bits) : bits_(bits) {}
  explicit Stateword(State state);

  constexpr std::uint64_t bits() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool has(Resource resource, Part part) const { return (bits_ & bit(resource, part)) != 0; }
  constexpr bool runs_on(Resource resource) const { return has(resource, Part::running); }
  constexpr bool queues_for(Resource resource) const { return has(resource, Part::queueing); }

  constexpr Stateword& operator|=(Stateword other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend constexpr bool operator==(Stateword, Stateword) = default;
  friend constexpr auto operator<=>(Stateword, Stateword) = default;

 private:
  static constexpr std::uint64_t bit(Resource resource, Part part) {
    return std::uint64_t{1} << (2 * static_cast<unsigned>(resource) + (part == Part::running ? 1 : 0));
  }
  std::uint64_t bits_ = 0;
};
static_assert(2 * kResources <= 64, "a stateword has two bits for each resource");

}  // namespace dpm::sampling
