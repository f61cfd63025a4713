#include "trace/segment_name.hpp"

#include <fmt/format.h>

#include <charconv>

namespace dpm {
namespace {

// More records are more than a disk holds: sums of such numbers stay in range.
constexpr std::uint64_t kRecordsMax = std::uint64_t{1} << 50;

}  // namespace

SegmentName SegmentName::of(const std::string& file) {
  const std::size_t dot = file.rfind('.');
  if (dot == std::string::npos || dot == 0) return {file, 0};
  SegmentName name{file.substr(0, dot), 0};
  const char* end = file.data() + file.size();
  const auto [stop, error] = std::from_chars(file.data() + dot + 1, end, name.before);
  // Only the spelling that file() has: no number stands in two names.
  const bool is_number = error == std::errc() && stop == end && name.before > 0 && name.before <= kRecordsMax;
  if (!is_number || name.file() != file) return {file, 0};
  return name;
}

std::string SegmentName::file() const { return before == 0 ? stream : fmt::format("{}.{}", stream, before); }

}  // namespace dpm
