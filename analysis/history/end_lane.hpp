// Ends of messages that one process has performed on one channel, in its order: each is some bytes more than the one before it,
// because numbers, times and places mostly grow by little.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/bytes.hpp"

namespace dpm {

// Whole numbers in as few bytes as they need, seven bits in each.
inline void put_short(Bytes& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<std::byte>(number | 0x80));
  bytes.push_back(static_cast<std::byte>(number));
}

// Reads them again; 0 where bytes are missing, and is_well() is false from then on.
class ShortNumbers {
 public:
  explicit ShortNumbers(std::span<const std::byte> bytes) : left_(bytes) {}

  bool is_well() const { return is_well_; }
  bool at_end() const { return left_.empty(); }

  std::uint64_t next() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint64_t>(left_.front());
      left_ = left_.subspan(1);
      number |= (byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
    is_well_ = false;
    return 0;
  }

 private:
  std::span<const std::byte> left_;
  bool is_well_ = true;
};

// The difference of two numbers of 64 bits, small if they are near each other, whichever is greater.
constexpr std::uint64_t short_difference(std::uint64_t from, std::uint64_t to) {
  const std::uint64_t difference = to - from;
  return difference << 1 ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
constexpr std::uint64_t after_difference(std::uint64_t from, std::uint64_t difference) {
  return from + (difference >> 1 ^ (difference & 1 ? ~std::uint64_t{0} : 0));
}

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
