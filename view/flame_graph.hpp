// A flame graph: boxes as wide as their values, each on top of the box that it is a part of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dpm::view {

enum class FlameTone { process, cpu, queue, disk, lock, other };

struct FlameBox {
  std::uint32_t depth = 0;  // 0: the whole
  double from = 0, to = 0;  // of the whole, which is 1
  std::string label;
  FlameTone tone = FlameTone::process;
  std::string tip;
};

struct FlameGraph {
  std::string title, description;
  std::vector<FlameBox> boxes;
};

}  // namespace dpm::view
