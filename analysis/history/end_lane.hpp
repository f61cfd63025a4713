// Ends of messages that one process has performed on one channel, in its order: each is some bytes more than the one before it,
// because numbers, times and places mostly grow by little.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/bytes.hpp"
#include "model/short_numbers.hpp"

namespace dpm {

struct LaneEnd {
  std::uint64_t sequence = 0;
  std::int64_t time_ns = 0;
  std::uint32_t index = 0;  // of the event in its process; grows
  bool inferred = false;
};

class EndLane {
 public:
  void add(const LaneEnd& end) {
    put_short(bytes_, short_difference(last_.sequence, end.sequence));
    put_short(bytes_,
              short_difference(static_cast<std::uint64_t>(last_.time_ns), static_cast<std::uint64_t>(end.time_ns)));
    put_short(bytes_, std::uint64_t{end.index - last_.index} << 1 | (end.inferred ? 1 : 0));
    last_ = end;
  }

  const Bytes& bytes() const { return bytes_; }
  std::vector<LaneEnd> ends() const;

 private:
  Bytes bytes_;
  LaneEnd last_;
};

// What a lane has, from its bytes; nothing if they are not those of a lane.
std::optional<std::vector<LaneEnd>> ends_of(std::span<const std::byte> lane);

}  // namespace dpm
