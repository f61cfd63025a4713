// All different placements of some processes on some machines, treating interchangeable machines as equal.
//
// A placement is canonical if, going through the processes in order, an unused machine is taken only if it is the first
// unused machine of its kind. Every placement is a renaming of exactly one canonical placement.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/ids.hpp"

namespace dpm {

struct PlacementSpace {
  std::size_t processes = 0;
  std::vector<MachineId> machines;
  std::vector<std::uint32_t> kind_of;  // by position in `machines`; equal: interchangeable
};

// Calls `visit` with every canonical placement (positions in `machines`, by process) until it returns false.
// Returns how many were visited.
std::uint64_t for_each_placement(const PlacementSpace& space,
                                 const std::function<bool(const std::vector<std::uint32_t>&)>& visit);

// The canonical placement that `placement` is a renaming of.
std::vector<std::uint32_t> canonical(const PlacementSpace& space, const std::vector<std::uint32_t>& placement);

// The number of placements that are renamings of it, itself included.
std::uint64_t renamings_of(const PlacementSpace& space, const std::vector<std::uint32_t>& placement);

}  // namespace dpm
