// What a program has printed and no controller has taken yet. It is kept in order up to a bound; the rest is dropped and
// counted. No I/O.
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

  // Drops and counts the bytes at the end that do not fit.
  void add(bool is_error, std::string_view bytes);
  // Keeps all bytes: for the little that is left when a program has ended.
  void add_anyway(bool is_error, std::string_view bytes);
  bool is_full() const { return bytes_ >= bytes_max_; }
  bool empty() const { return pieces_.empty() && dropped_bytes_ == 0; }

  // The oldest piece, at most `bytes_most` bytes of it.
  Piece take(std::size_t bytes_most);

 private:
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::deque<Piece> pieces_;
  std::uint64_t dropped_bytes_ = 0;  // since the last piece
};

}  // namespace dpm
