// The files of a stream that is recorded with a window. Each is one segment; its name says how many of the stream's
// records came before it:
//
//   machine_0_filter_0           the first
//   machine_0_filter_0.81920     81 920 records of the stream came before
//
// So the number of removed records is on disk at every instant, and the next segment's name says how many records the
// one before it should have.
#pragma once

#include <cstdint>
#include <string>

namespace dpm {

struct SegmentName {
  std::string stream;        // "machine_0_filter_0"
  std::uint64_t before = 0;  // records

  // A name that does not end in a number is the first segment of a stream of this name.
  static SegmentName of(const std::string& file);
  std::string file() const;

  friend auto operator<=>(const SegmentName&, const SegmentName&) = default;
};

}  // namespace dpm
