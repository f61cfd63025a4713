// What a message of an in-file program carries in its body: which request it belongs to.
//
// A request begins when a process sends or calls from its `start` steps. Every message sent while handling a message
// belongs to that message's request. `draws` is different for every message of a request and depends only on how the
// request came here, so a process that seeds its draws with it reacts to the message alone, whatever else it did
// before.
//
// A message shorter than the tag (a one-byte ping) carries none: it is a request of its own to its receiver.
//
// Behind the tag stand the numbers that the message carries ("with"), each with the number of its name.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace dpm {

struct RequestTag {
  std::uint64_t request = 0;
  std::uint64_t draws = 0;
};

inline constexpr std::size_t kRequestTagBytes = 16;
inline constexpr std::size_t kBytesOfCarried = 12;

// The bytes that a message needs which carries that many numbers.
inline constexpr std::size_t room_for(std::size_t numbers) {
  return numbers == 0 ? 0 : kRequestTagBytes + numbers * kBytesOfCarried;
}

using CarriedNumbers = std::map<std::uint32_t, double>;  // by the number of the name

// Little-endian everywhere, so that the same seed gives the same bytes.
inline void append_bytes(std::vector<std::byte>& body, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) body.push_back(static_cast<std::byte>(value >> (8 * i)));
}

inline std::uint64_t bytes_at(std::span<const std::byte> body, std::size_t at, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::to_integer<std::uint64_t>(body[at + i]) << (8 * i);
  return value;
}

inline std::vector<std::byte> encode(RequestTag tag, const CarriedNumbers& carried = {}) {
  std::vector<std::byte> body;
  body.reserve(kRequestTagBytes + carried.size() * kBytesOfCarried);
  append_bytes(body, tag.request, 8);
  append_bytes(body, tag.draws, 8);
  for (const auto& [name, number] : carried) {
    append_bytes(body, name, 4);
    append_bytes(body, std::bit_cast<std::uint64_t>(number), 8);
  }
  return body;
}

inline bool has_request_tag(std::span<const std::byte> body) {
  return body.size() >= kRequestTagBytes && (body.size() - kRequestTagBytes) % kBytesOfCarried == 0;
}

inline std::optional<RequestTag> decode_request_tag(std::span<const std::byte> body) {
  if (!has_request_tag(body)) return std::nullopt;
  return RequestTag{bytes_at(body, 0, 8), bytes_at(body, 8, 8)};
}

inline CarriedNumbers decode_carried(std::span<const std::byte> body) {
  CarriedNumbers carried;
  if (!has_request_tag(body)) return carried;
  for (std::size_t at = kRequestTagBytes; at < body.size(); at += kBytesOfCarried)
    carried[static_cast<std::uint32_t>(bytes_at(body, at, 4))] = std::bit_cast<double>(bytes_at(body, at + 4, 8));
  return carried;
}

}  // namespace dpm
