// Requests to a keeper: one packet each way over a SOCK_SEQPACKET connection, which then closes.
//
// Packets carry descriptors. A request to take over has a pidfd of the asking meter, which cannot be mistaken for a later
// process with the same pid; the grant has the listener and the memory of the slots.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "os/unique_fd.hpp"

namespace dpm {

// Keeper and meter may have different versions of dpm, because a program outlives an upgrade.
inline constexpr std::array<char, 8> kKeeperMagic = {'d', 'p', 'm', 'k', 'e', 'e', 'p', '1'};

struct KeeperRequest {
  enum class Kind : std::uint32_t {
    describe,   // the program and its meter
    take_over,  // the asking process becomes the meter
    answer,     // the asking process is no longer the meter: the keeper answers calls
  };
  std::array<char, 8> magic = kKeeperMagic;
  Kind kind = Kind::describe;
  std::uint32_t unused = 0;
};

struct KeeperReply {
  std::array<char, 8> magic = kKeeperMagic;
  std::uint32_t granted = 0;    // the request was performed
  std::uint32_t pid = 0;        // the program's first process
  std::uint32_t meter_pid = 0;  // 0: none, the keeper answers
  std::uint32_t privileges_given_up = 0;
  std::uint32_t exact_paths = 0;
  std::array<char, 4068> command = {};  // ends with a zero; cut if longer

  void set_command(const std::string& text);
  std::string command_text() const;
};

static_assert(sizeof(KeeperRequest) == 16);
static_assert(sizeof(KeeperReply) == 4096, "one version's packet is another's too; see kKeeperMagic");

// False if the other end has closed, or does not take it at once.
bool send_packet(int connection, std::span<const std::byte> bytes, std::span<const int> descriptors = {});

struct Packet {
  std::vector<std::byte> bytes;  // none: the other end has closed
  std::vector<UniqueFd> descriptors;
};
// Nothing if no packet is there yet (on a blocking connection: none came in time).
std::optional<Packet> receive_packet(int connection);

template <typename Message>
bool send_message(int connection, const Message& message, std::span<const int> descriptors = {}) {
  return send_packet(connection, std::as_bytes(std::span(&message, 1)), descriptors);
}

// Nothing if the packet is not a whole Message of this version.
template <typename Message>
std::optional<Message> message_in(const Packet& packet) {
  Message message;
  if (packet.bytes.size() != sizeof message) return std::nullopt;
  const auto into = std::as_writable_bytes(std::span(&message, 1));
  std::copy(packet.bytes.begin(), packet.bytes.end(), into.begin());
  if (message.magic != kKeeperMagic) return std::nullopt;
  return message;
}

}  // namespace dpm
