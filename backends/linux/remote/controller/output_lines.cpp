#include "backends/linux/remote/controller/output_lines.hpp"

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
    lines.push_back(visible(pending_));
    pending_.clear();
  }
  return lines;
}

std::vector<std::string> OutputLines::flush() {
  if (pending_.empty()) return {};
  std::vector<std::string> lines = {visible(pending_)};
  pending_.clear();
  return lines;
}

std::string visible(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // Terminals also obey the control characters that UTF-8 writes as C2 80 to C2 9F.
    const bool is_second_half = byte >= 0x80 && byte < 0xa0 && shown.ends_with('\xc2');
    if (is_second_half) {
      shown.back() = '?';
    } else if ((byte >= 0x20 && byte != 0x7f) || c == '\t') {
      shown += c;
    } else {
      shown += '^';
      shown += static_cast<char>(byte ^ 0x40);
    }
  }
  return shown;
}

}  // namespace dpm::control
