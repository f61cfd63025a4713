#include "control/controller/backlog.hpp"

#include <utility>

namespace dpm::control {

void Backlog::add(const std::string& mark, const Lines& lines) {
  if (lines.empty()) return;
  Part part{.mark = mark, .text = {}};
  for (const auto& line : lines) {
    part.text += line.find('\n') == std::string::npos ? line : visible(line);  // a reason may have one
    part.text += '\n';
  }
  bytes_ += bytes_of(part);
  parts_.push_back(std::move(part));
}

Lines Backlog::take(std::size_t bytes) {
  Lines lines;
  for (std::size_t taken = 0; taken < bytes && !parts_.empty();) {
    Part& part = parts_.front();
    const std::size_t newline = part.text.find('\n', part.taken);
    lines.push_back(part.mark + part.text.substr(part.taken, newline - part.taken));
    taken += lines.back().size() + 1;
    part.taken = newline + 1;
    if (part.taken < part.text.size()) continue;
    bytes_ -= bytes_of(part);
    parts_.pop_front();
  }
  return lines;
}

}  // namespace dpm::control
