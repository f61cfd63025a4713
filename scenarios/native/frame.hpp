// What travels between processes of a native run: frames over TCP connections. Both ends are the same program on the
// same machine, so a header is plain memory. The token of the run tells its frames from what a stranger sends.
//
//   +---------------------+---------------------------------------------+
//   | header (104 bytes)  | length_bytes: data_bytes of data, then zeros |
//   +---------------------+---------------------------------------------+
//
// A message is one frame, sent with one send() and received with one recv(), so that a meter sees what the program did:
// a message of DEMOS/MP, 104 bytes longer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/message_calls.hpp"

namespace dpm::native {

// An entry of a link table (model/link_table.hpp): it leads to a channel of the process that created it. Processes are
// numbered as in the scenario, channels by their owner.
struct Link {
  std::uint32_t owner = 0;
  std::uint32_t channel = 0;
  std::uint64_t answers_call = 0;  // a reply link: which CALL of the owner it answers. Used up by one message.
  std::optional<DataArea> area;    // in the owner's address space

  bool is_for_one_reply() const { return answers_call != 0; }
};

enum class FrameKind : std::uint32_t {
  message = 1,  // of a program
  data = 2,     // a part of a MOVEDATA
  fetch = 3,    // asks the owner of a data area to move it
  fetched = 4   // its answer, when the data did not go to the sender of the fetch
};

struct FrameHeader {
  std::uint64_t token = 0;         // of the run
  std::int64_t sent_ns = 0;        // by the clock all processes share; a sender never gives the same time twice
  std::uint64_t number = 0;        // a reply: the CALL it answers; data, fetch, fetched: the fetch they belong to
  std::uint64_t reply_to = 0;      // a CALL: its number, for the reply link that comes with it
  std::uint64_t offset_bytes = 0;  // in an address space: where data go, or are fetched from
  FrameKind kind = FrameKind::message;
  std::uint32_t sender = 0;
  std::uint32_t channel = 0;  // of the receiver
  std::uint32_t code = 0;     // of a message; of data: 1 if they are the last
  std::uint32_t length_bytes = 0;
  std::uint32_t data_bytes = 0;

  // The link that is passed; of a fetch: where the data are to go, and how much.
  std::uint32_t passed_owner = kNoLink;
  std::uint32_t passed_channel = 0;
  std::uint64_t passed_answers_call = 0;
  std::uint64_t passed_offset_bytes = 0;
  std::uint64_t passed_size_bytes = 0;
  std::uint32_t passed_rights = 0;
  std::uint32_t reserved = 0;

  static constexpr std::uint32_t kNoLink = 0xffffffffu;

  std::size_t frame_bytes() const { return sizeof(FrameHeader) + length_bytes; }
  void pass(const Link& link);
  std::optional<Link> passed() const;
};
static_assert(sizeof(FrameHeader) == 104, "the size the documentation gives");

struct Frame {
  FrameHeader header;
  std::vector<std::byte> data;
};

std::vector<std::byte> encode(const FrameHeader& header, std::span<const std::byte> data);

// Tells frames of this run from others.
struct RunIdentity {
  std::uint64_t token = 0;
  std::uint32_t processes = 0;
};

// Appends the headers found in `bytes`, of which the first frame begins at `skip`; a header that is cut off is left.
// False if one of them is not of this run.
bool decode_headers(const RunIdentity& run, std::span<const std::byte> bytes, std::size_t skip,
                    std::vector<FrameHeader>& headers);

}  // namespace dpm::native
