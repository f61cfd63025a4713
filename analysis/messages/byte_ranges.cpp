#include "analysis/messages/byte_ranges.hpp"

#include <algorithm>
#include <tuple>

namespace dpm {
namespace {

constexpr std::uint64_t kOffsetMax = std::uint64_t{1} << 62;  // so that no end overflows

bool before(const ByteRange& a, const ByteRange& b) {
  return std::tuple(a.offset, b.length_bytes, a.process) < std::tuple(b.offset, a.length_bytes, b.process);
}

}  // namespace

bool ByteRanges::add(const ByteRange& range) {
  if (range.offset > kOffsetMax) return false;
  if (range.length_bytes > 0) ranges_.push_back(range);
  return true;
}

std::uint64_t ByteRanges::resolve_overlaps() {
  if (!std::is_sorted(ranges_.begin(), ranges_.end(), before)) std::sort(ranges_.begin(), ranges_.end(), before);
  std::uint64_t contradictions = 0;
  std::size_t kept = 0;
  for (const ByteRange& range : ranges_) {
    if (kept > 0) {
      ByteRange& last = ranges_[kept - 1];
      if (last.end() > range.offset) ++contradictions;
      if (last.offset == range.offset) continue;
      if (last.end() > range.offset) last.length_bytes = static_cast<std::uint32_t>(range.offset - last.offset);
    }
    ranges_[kept++] = range;
  }
  ranges_.resize(kept);
  ranges_.shrink_to_fit();
  claimed_.assign(kept, false);
  return contradictions;
}

std::optional<std::size_t> ByteRanges::claim(const ByteRange& range) {
  if (range.length_bytes == 0) return std::nullopt;
  const auto found = std::lower_bound(ranges_.begin(), ranges_.end(), range.offset,
                                      [](const ByteRange& kept, std::uint64_t at) { return kept.offset < at; });
  if (found == ranges_.end() || found->offset != range.offset || found->process != range.process) return std::nullopt;
  const auto index = static_cast<std::size_t>(found - ranges_.begin());
  if (claimed_[index]) return std::nullopt;
  claimed_[index] = true;
  return index;
}

std::size_t ByteRanges::first_after(std::uint64_t offset) const {
  const auto found = std::upper_bound(ranges_.begin(), ranges_.end(), offset,
                                      [](std::uint64_t at, const ByteRange& range) { return at < range.end(); });
  return static_cast<std::size_t>(found - ranges_.begin());
}

}  // namespace dpm
