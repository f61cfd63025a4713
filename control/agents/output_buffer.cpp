#include "control/agents/output_buffer.hpp"

#include <algorithm>
#include <utility>

namespace dpm {
namespace {

// The bytes of a program that prints one at a time share a piece.
constexpr std::size_t kOutputPieceBytes = 64 * 1024;

}  // namespace

void OutputBuffer::add(bool is_error, std::string_view bytes) {
  const std::string_view kept = bytes.substr(0, is_full() ? 0 : bytes_max_ - bytes_);
  if (!kept.empty()) add_anyway(is_error, kept);
  dropped_bytes_ += bytes.size() - kept.size();
}

void OutputBuffer::add_anyway(bool is_error, std::string_view bytes) {
  const bool is_continued = !pieces_.empty() && pieces_.back().is_error == is_error && dropped_bytes_ == 0 &&
                            pieces_.back().bytes.size() + bytes.size() <= kOutputPieceBytes;
  if (!is_continued) pieces_.push_back({is_error, "", std::exchange(dropped_bytes_, 0)});
  pieces_.back().bytes += bytes;
  bytes_ += bytes.size();
}

OutputBuffer::Piece OutputBuffer::take(std::size_t bytes_most) {
  if (pieces_.empty()) return {false, "", std::exchange(dropped_bytes_, 0)};
  Piece& first = pieces_.front();
  Piece taken;
  if (first.bytes.size() <= bytes_most) {
    taken = std::move(first);
    pieces_.pop_front();
  } else {
    taken = {first.is_error, first.bytes.substr(0, bytes_most), std::exchange(first.dropped_bytes, 0)};
    first.bytes.erase(0, bytes_most);
  }
  bytes_ -= taken.bytes.size();
  return taken;
}

}  // namespace dpm
