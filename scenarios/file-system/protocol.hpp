// What the processes of the file system say to each other. Every message about a request carries the request, 12 bytes;
// the rest of its length stands for what a real file system would send along.
//
//   OPEN, READ, WRITE     user -> request interpreter (CALL) -> directory manager (OPEN) or buffer manager
//   LOOK_UP               directory manager -> buffer manager (CALL): read the directory
//   DONE                  the answer to each of these
//   DISK_READ, DISK_WRITE buffer manager -> disk interface; DISK_DONE is the answer
//   COMMAND, COMMAND_DONE disk interface -> disk and back
//   REGISTER, REGISTERED  a process of the file system -> name server and back, when it starts
//   LOG_OUT               user -> name server, when it ends;  STOP: name server -> all others, after the last of them
//   DISK_READY            disk -> disk interface, when it starts
//
// Links that travel: with OPEN and LOOK_UP to the user's data area; with the first DISK_READ to the buffer manager's
// buffer; with DISK_READY to the driver's sector buffer. Data moves by MOVEDATA, in messages of the kernel's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/message_calls.hpp"

namespace dpm::scenarios::file_system {

enum MessageCode : std::uint32_t {
  kOpen = 1,
  kRead = 2,
  kWrite = 3,
  kLookUp = 4,
  kDone = 5,
  kDiskRead = 6,
  kDiskWrite = 7,
  kDiskDone = 8,
  kCommand = 9,
  kCommandDone = 10,
  kRegister = 11,
  kRegistered = 12,
  kLogOut = 13,
  kStop = 14,
  kDiskReady = 15,
};

// A block of a file: one of its data blocks, or one of the blocks that hold pointers to them.
struct BlockId {
  std::uint32_t file = 0;
  std::uint16_t block = 0;
  bool of_pointers = false;

  friend auto operator<=>(const BlockId&, const BlockId&) = default;
};

struct Request {
  std::uint32_t tag = 0;  // drawn by the user: tells requests apart, see service_times.hpp
  BlockId block;
  std::uint8_t user = 0;
  bool is_new = false;          // WRITE: the block is not on the disk yet
  bool answer_expected = true;  // COMMAND: the disk answers the last command of an operation
};

inline constexpr std::uint32_t kRequestBytes = 12;

// Decoding checks the size: a message that does not hold what its code promises is a mistake of our own programs.
std::vector<std::byte> encode(const Request& request);
Request decode_request(std::span<const std::byte> bytes);

// A message of `length_bytes` about `request`.
OutgoingMessage about(const Request& request, MessageCode code, std::uint32_t length_bytes,
                      std::optional<LinkIndex> pass = std::nullopt);

}  // namespace dpm::scenarios::file_system
