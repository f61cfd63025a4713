// The curves of a process or a pair, one for each machine on which it was, by that machine's clock. There is one, unless a
// process migrated: it is kept beside its owner, because every event looks for it.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/levels/curve.hpp"
#include "model/ids.hpp"

namespace dpm {

template <typename Amounts>
class Stays {
 public:
  struct Stay {
    MachineId machine;
    Curve<Amounts> curve;
  };

  std::size_t size() const { return first_.machine.is_none() ? 0 : 1 + others_.size(); }
  Stay& operator[](std::size_t i) { return i == 0 ? first_ : others_[i - 1]; }
  const Stay& operator[](std::size_t i) const { return i == 0 ? first_ : others_[i - 1]; }

  // Its number; a new one if there is none.
  std::size_t on(MachineId machine) {
    for (std::size_t i = 0; i < size(); ++i)
      if ((*this)[i].machine == machine) return i;
    if (first_.machine.is_none()) {
      first_.machine = machine;
    } else {
      others_.push_back({machine, {}});
    }
    return size() - 1;
  }
  void clear() { *this = {}; }

 private:
  Stay first_;
  std::vector<Stay> others_;
};

}  // namespace dpm
