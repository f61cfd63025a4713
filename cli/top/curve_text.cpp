#include "cli/top/curve_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace dpm::cli {

std::string curve_text(const std::vector<double>& values, std::size_t width, bool unicode) {
  static constexpr std::array kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array kAscii = {" ", ".", ".", ":", "-", "=", "+", "*", "#"};
  const std::size_t first = values.size() > width ? values.size() - width : 0;
  double most = 0;
  for (std::size_t i = first; i < values.size(); ++i) most = std::max(most, values[i]);
  std::string text;
  for (std::size_t i = first; i < values.size(); ++i) {
    const double share = most > 0 ? values[i] / most : 0;
    const auto level = static_cast<std::size_t>(std::ceil(std::clamp(share, 0.0, 1.0) * 8));
    text += unicode ? kBlocks[level] : kAscii[level];
  }
  return text;
}

}  // namespace dpm::cli
