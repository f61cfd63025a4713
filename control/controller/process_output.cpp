#include "control/controller/process_output.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dpm::control {
namespace {

// The room is looked at after each of these: short lines grow by their marks.
constexpr std::size_t kPieceBytes = 4096;

void append(std::vector<std::string>& to, std::vector<std::string> lines) {
  to.insert(to.end(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
}

}  // namespace

ProcessOutput::Shown ProcessOutput::add(std::string_view bytes, std::size_t mark_bytes, std::size_t room,
                                        Clock::time_point now) {
  Shown shown;
  refill(now);
  if (is_cutting_ && now - cutting_since_ < kCutFor) {
    cut(bytes);
    return shown;
  }
  is_cutting_ = false;
  bytes = after_cut_line(bytes);
  if (!bytes.empty()) take_cut(shown);
  std::int64_t left = std::min(room_bytes_, static_cast<std::int64_t>(room));
  while (!bytes.empty() && left > 0) {
    const auto piece = bytes.substr(0, kPieceBytes);
    bytes.remove_prefix(piece.size());
    auto lines = lines_.add(piece);
    const auto used = static_cast<std::int64_t>(piece.size() + lines.size() * mark_bytes);
    left -= used;
    room_bytes_ -= used;
    append(shown.lines, std::move(lines));
  }
  if (!bytes.empty()) {
    is_cutting_ = true;
    cutting_since_ = now;
    cut(bytes);
  }
  return shown;
}

ProcessOutput::Shown ProcessOutput::add_all(std::string_view bytes, Clock::time_point now) {
  Shown shown;
  refill(now);
  is_cutting_ = false;
  bytes = after_cut_line(bytes);
  take_cut(shown);
  shown.lines = lines_.add(bytes);
  return shown;
}

ProcessOutput::Shown ProcessOutput::flush() {
  Shown shown;
  take_cut(shown);
  shown.lines = lines_.flush();
  return shown;
}

void ProcessOutput::refill(Clock::time_point now) {
  constexpr std::chrono::milliseconds kRarely{10};  // rounding would eat up what many small steps add
  added_at_ = now;
  if (now - filled_at_ < kRarely) return;
  const auto since_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now - filled_at_).count();
  room_bytes_ = std::min(kBurstBytes, room_bytes_ + since_ms * kBytesPerSecond / 1000);
  filled_at_ = now;
}

void ProcessOutput::cut(std::string_view bytes) {
  for (const auto& line : lines_.flush()) cut_bytes_ += line.size();
  cut_bytes_ += bytes.size();
  cut_lines_ += static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  if (!bytes.empty()) is_inside_cut_line_ = bytes.back() != '\n';
}

// What is shown after a cut begins with a line.
std::string_view ProcessOutput::after_cut_line(std::string_view bytes) {
  if (!is_inside_cut_line_) return bytes;
  const auto newline = bytes.find('\n');
  const std::size_t count = newline == std::string_view::npos ? bytes.size() : newline + 1;
  cut(bytes.substr(0, count));
  return bytes.substr(count);
}

void ProcessOutput::take_cut(Shown& shown) {
  shown.cut_bytes = std::exchange(cut_bytes_, 0);
  shown.cut_lines = std::exchange(cut_lines_, 0);
}

}  // namespace dpm::control
