// What a message of an in-file program carries in its body: which request it belongs to.
//
// A request begins when a process sends or calls from its `start` steps. Every message sent while handling a message belongs to
// that message's request. `draws` is different for every message of a request and depends only on how the request came
// here, so a process that seeds its draws with it reacts to the message alone, whatever else it did before.
//
// A message shorter than the tag (a one-byte ping) carries none: it is a request of its own to its receiver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace dpm {

struct RequestTag {
  std::uint64_t request = 0;
  std::uint64_t draws = 0;
};

inline constexpr std::size_t kRequestTagBytes = 16;

inline std::vector<std::byte> encode(RequestTag tag) {
  std::vector<std::byte> body(kRequestTagBytes);
  for (unsigned i = 0; i < 8; ++i) {  // little-endian everywhere, so that the same seed gives the same bytes
    body[i] = static_cast<std::byte>(tag.request >> (8 * i));
    body[i + 8] = static_cast<std::byte>(tag.draws >> (8 * i));
  }
  return body;
}

inline std::optional<RequestTag> decode_request_tag(std::span<const std::byte> body) {
  if (body.size() != kRequestTagBytes) return std::nullopt;
  RequestTag tag;
  for (unsigned i = 0; i < 8; ++i) {
    tag.request |= std::to_integer<std::uint64_t>(body[i]) << (8 * i);
    tag.draws |= std::to_integer<std::uint64_t>(body[i + 8]) << (8 * i);
  }
  return tag;
}

}  // namespace dpm
