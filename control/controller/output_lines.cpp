#include "control/controller/output_lines.hpp"

#include <algorithm>

namespace dpm::control {

std::vector<std::string> OutputLines::add(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const auto newline = bytes.find('\n');
    const bool ends = newline != std::string_view::npos;
    const std::size_t room = kLineBytesMax - pending_.size();
    const std::size_t take = std::min(ends ? newline : bytes.size(), room);
    pending_.append(bytes.substr(0, take));
    bytes.remove_prefix(take);
    if (ends && take == newline) {
      bytes.remove_prefix(1);
    } else if (pending_.size() < kLineBytesMax) {
      break;
    }
    if (pending_.ends_with('\r')) pending_.pop_back();
    lines.push_back(pending_);
    pending_.clear();
  }
  return lines;
}

std::vector<std::string> OutputLines::flush() {
  if (pending_.empty()) return {};
  std::vector<std::string> lines = {pending_};
  pending_.clear();
  return lines;
}

}  // namespace dpm::control
