#include "control/transport/frames/frame.hpp"

#include <fmt/format.h>

#include <utility>

namespace dpm {
namespace {

std::uint32_t length_at(std::string_view header) {
  std::uint32_t length = 0;
  for (int i = 3; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(header[static_cast<std::size_t>(i)]);
  return length;
}

// The output of a login script or of another server: a valid header holds no letters.
std::string first_words(std::string_view bytes) {
  constexpr std::size_t kShown = 40;
  std::string words;
  for (const char c : bytes.substr(0, kShown)) {
    if (c < ' ' || c > '~') break;
    words += c;
  }
  return words;
}

}  // namespace

void append_frame(std::string& out, std::uint8_t kind, std::string_view body) {
  DPM_CHECK(body.size() <= kFrameBodyBytesMax);
  for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(body.size() >> shift & 0xFF));
  out.push_back(static_cast<char>(kFrameVersion));
  out.push_back(static_cast<char>(kind));
  out.append(2, '\0');
  out.append(body);
}

Result<std::optional<Frame>> FrameReader::next() {
  if (!broken_.empty()) return Error{broken_};
  const std::string_view rest = std::string_view(pending_).substr(taken_);
  if (rest.size() < kFrameHeaderBytes) return std::optional<Frame>();
  const auto byte = [rest](std::size_t at) { return static_cast<unsigned char>(rest[at]); };
  if (const auto words = first_words(rest); words.size() >= kFrameHeaderBytes) {
    broken_ = "text came, \"" + words + "\", where frames were expected: does a login script there print something?";
  } else if (byte(4) != kFrameVersion) {
    broken_ = fmt::format(
        "the other end speaks version {} of the frames, this one version {}: use the same dpm on both machines",
        byte(4), kFrameVersion);
  } else if (byte(6) != 0 || byte(7) != 0) {
    broken_ = "the data is not a frame";
  } else if (length_at(rest) > body_bytes_max_) {
    broken_ = fmt::format("a frame of {} bytes, of which {} are allowed", length_at(rest), body_bytes_max_);
  }
  if (!broken_.empty()) return Error{broken_};

  const std::size_t length = length_at(rest);
  if (rest.size() < kFrameHeaderBytes + length) {
    // Shortened here, where the caller has to wait anyway, and not after each frame.
    pending_.erase(0, std::exchange(taken_, 0));
    return std::optional<Frame>();
  }
  Frame frame{byte(5), std::string(rest.substr(kFrameHeaderBytes, length))};
  taken_ += kFrameHeaderBytes + length;
  if (taken_ == pending_.size()) {
    pending_.clear();
    taken_ = 0;
  }
  return std::optional<Frame>(std::move(frame));
}

}  // namespace dpm
