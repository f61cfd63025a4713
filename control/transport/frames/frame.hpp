// Frames: how messages travel over a stream of bytes between machines. Both protocols, control and meter, use them.
//
//     length 4 | version 1 | kind 1 | 0 0 | body of `length` bytes          little-endian
//
// The other end is not trusted. A length beyond the limit, another version or wrong padding is an error, after which the
// connection cannot be used. No memory is reserved for bytes that have not come. No I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace dpm {

inline constexpr std::uint8_t kFrameVersion = 1;
inline constexpr std::size_t kFrameHeaderBytes = 8;
inline constexpr std::size_t kFrameBodyBytesMax = 1024 * 1024;

struct Frame {
  std::uint8_t kind = 0;  // of the body; each protocol has its own
  std::string body;
};

// Appends the frame to `out`. `body` is no longer than kFrameBodyBytesMax.
void append_frame(std::string& out, std::uint8_t kind, std::string_view body);

// Finds frames in the bytes of a connection, however they are cut.
class FrameReader {
 public:
  explicit FrameReader(std::size_t body_bytes_max = kFrameBodyBytesMax) : body_bytes_max_(body_bytes_max) {}

  void feed(std::string_view bytes) { pending_.append(bytes); }
  // The next complete frame, or nothing. After an error: the same error, always.
  Result<std::optional<Frame>> next();
  // Part of a frame has come: a connection that closes now was cut off.
  bool is_inside_frame() const { return taken_ < pending_.size(); }

 private:
  std::size_t body_bytes_max_;
  std::string pending_;
  std::size_t taken_ = 0;  // of pending_
  std::string broken_;     // the error
};

}  // namespace dpm
