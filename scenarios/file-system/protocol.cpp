#include "scenarios/file-system/protocol.hpp"

#include "model/check.hpp"

namespace dpm::scenarios::file_system {
namespace {

// Little-endian: tag (4), file (4), block (2), user (1), flags (1).
constexpr std::uint8_t kOfPointers = 1;
constexpr std::uint8_t kIsNew = 2;
constexpr std::uint8_t kAnswerExpected = 4;

void put(std::vector<std::byte>& bytes, std::uint32_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

std::uint32_t get(std::span<const std::byte> bytes, std::size_t at, unsigned size) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < size; ++i) value |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
  return value;
}

}  // namespace

std::vector<std::byte> encode(const Request& request) {
  std::vector<std::byte> bytes;
  bytes.reserve(kRequestBytes);
  put(bytes, request.tag, 4);
  put(bytes, request.block.file, 4);
  put(bytes, request.block.block, 2);
  put(bytes, request.user, 1);
  const unsigned flags = (request.block.of_pointers ? kOfPointers : 0u) | (request.is_new ? kIsNew : 0u) |
                         (request.answer_expected ? kAnswerExpected : 0u);
  put(bytes, flags, 1);
  return bytes;
}

Request decode_request(std::span<const std::byte> bytes) {
  DPM_CHECK(bytes.size() == kRequestBytes);
  const std::uint32_t flags = get(bytes, 11, 1);
  Request request;
  request.tag = get(bytes, 0, 4);
  request.block.file = get(bytes, 4, 4);
  request.block.block = static_cast<std::uint16_t>(get(bytes, 8, 2));
  request.block.of_pointers = (flags & kOfPointers) != 0;
  request.user = static_cast<std::uint8_t>(get(bytes, 10, 1));
  request.is_new = (flags & kIsNew) != 0;
  request.answer_expected = (flags & kAnswerExpected) != 0;
  return request;
}

OutgoingMessage about(const Request& request, MessageCode code, std::uint32_t length_bytes,
                      std::optional<LinkIndex> pass) {
  return {.code = code, .length_bytes = length_bytes, .data = encode(request), .pass = pass};
}

}  // namespace dpm::scenarios::file_system
