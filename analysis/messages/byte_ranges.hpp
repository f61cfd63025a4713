// Which process sent, or received, which bytes of a stream: the operations at one end of it, by offset.
//
//     SEND  P  0..99  |  SEND  Q  100..119  |    (no process)    |  SEND  P  150..
//
// Offsets are known exactly and lengths sometimes only probably. So where two operations claim the same bytes, the
// earlier one ends where the later begins; of two that begin together the longer one stays. Both cases are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/ids.hpp"

namespace dpm {

struct ByteRange {
  std::uint64_t offset = 0;
  std::uint32_t length_bytes = 0;
  ProcessId process;

  std::uint64_t end() const { return offset + length_bytes; }
};
static_assert(sizeof(ByteRange) == 16, "one for each SEND and RECEIVE of a trace is kept");

class ByteRanges {
 public:
  // An operation without bytes is not kept. False if no stream has such an offset.
  bool add(const ByteRange& range);

  // Sorts the ranges; from then on they are disjoint. Returns how many lost bytes, or all, to others.
  std::uint64_t resolve_overlaps();

  // ---- after resolve_overlaps()
  std::size_t size() const { return ranges_.size(); }
  const ByteRange& operator[](std::size_t index) const { return ranges_[index]; }

  // The range that remains of an operation that was added; a second copy of an event has nothing left.
  std::optional<std::size_t> claim(const ByteRange& range);

  // The first range with bytes at or after `offset`, or size().
  std::size_t first_after(std::uint64_t offset) const;

 private:
  std::vector<ByteRange> ranges_;
  std::vector<bool> claimed_;
};

}  // namespace dpm
