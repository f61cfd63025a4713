// The structural part of a comparison: what only one of two runs has.
#pragma once

#include <span>
#include <vector>

#include "analysis/difference/comparison.hpp"

namespace dpm {

// A run whose processes have the names of the first run.
struct NamedRun {
  const RunProfile* run = nullptr;
  std::vector<std::string> names;
};

struct Structure {
  std::vector<StructuralChange> changes;
  std::size_t noise = 0;
};

// `repeats`: further runs of a.
Structure compare_structure(const NamedRun& a, const NamedRun& b, std::span<const NamedRun> repeats);

}  // namespace dpm
