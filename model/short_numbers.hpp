// Whole numbers in as few bytes as they need: seven bits in each byte, the lowest first; the eighth bit says that more follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace dpm {

// `Out` is a container of bytes or characters.
template <typename Out>
void put_short(Out& out, std::uint64_t number) {
  using Byte = typename Out::value_type;
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<Byte>(number | 0x80));
  out.push_back(static_cast<Byte>(number));
}

// Reads such numbers. Where bytes are missing or a number is too large, the result is 0 or cut off, and is_well() is false from then on.
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
  template <typename Number>
  Number next_as() {
    const std::uint64_t number = next();
    is_well_ = is_well_ && static_cast<std::uint64_t>(static_cast<Number>(number)) == number;
    return static_cast<Number>(number);
  }
  // Of things that follow and take at least a byte each.
  std::uint64_t count() {
    const std::uint64_t number = next();
    if (number <= left_.size()) return number;
    is_well_ = false;
    return 0;
  }
  // A count of characters, and the characters.
  std::string text() {
    const std::uint64_t size = count();
    const std::string text(reinterpret_cast<const char*>(left_.data()), size);
    left_ = left_.subspan(size);
    return text;
  }

 private:
  std::span<const std::byte> left_;
  bool is_well_ = true;
};

// The difference of two numbers of 64 bits, small if they are near each other, whichever is greater: 0, -1, 1, -2 become 0, 1, 2, 3.
constexpr std::uint64_t short_difference(std::uint64_t from, std::uint64_t to) {
  const std::uint64_t difference = to - from;
  return difference << 1 ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
constexpr std::uint64_t after_difference(std::uint64_t from, std::uint64_t difference) {
  return from + (difference >> 1 ^ (difference & 1 ? ~std::uint64_t{0} : 0));
}

}  // namespace dpm
