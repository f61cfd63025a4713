// What a program has printed and nobody has taken yet: kept in order, up to a bound, and beyond it dropped and counted.
// No I/O.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace dpm {

class OutputBuffer {
 public:
  struct Piece {
    bool is_error = false;
    std::string bytes;                // may be empty if some were dropped last
    std::uint64_t dropped_bytes = 0;  // before these
  };

  explicit OutputBuffer(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Of more than fits, what comes last is dropped.
  void add(bool is_error, std::string_view bytes);
  // Nothing is dropped: for the little that is left when a program has ended.
  void add_anyway(bool is_error, std::string_view bytes);
  bool is_full() const { return bytes_ >= bytes_max_; }
  bool empty() const { return pieces_.empty() && dropped_bytes_ == 0; }

  // The oldest, at most `bytes_most` of it.
  Piece take(std::size_t bytes_most);

 private:
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::deque<Piece> pieces_;
  std::uint64_t dropped_bytes_ = 0;  // since the last piece
};

}  // namespace dpm
