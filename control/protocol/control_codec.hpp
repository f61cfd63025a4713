// Control messages as frames, and back.
//
//     frame body:  length of the text 4 | text: one JSON object | raw bytes of the message         little-endian
//     text:        {"type": "create_process", "number": 7, "job": "foo", ...}
//
// The frame's kind says request, reply or report; `type` which of them. The raw bytes are those of Input, PutFile,
// LogPiece and Output, of any content. Text that is not UTF-8 (file names need not be) is
// written {"hex": "2f746d70"}.
//
// Nothing is trusted: a message must have all its fields and no others, each of its type and within its range and
// length. Only Hello and Welcome may have unknown fields: peers of another version name it in them. No I/O.
#pragma once

#include <string>

#include "control/protocol/control_message.hpp"
#include "control/transport/frames/frame.hpp"
#include "model/result.hpp"

namespace dpm::control {

inline constexpr std::uint8_t kRequestFrame = 1, kReplyFrame = 2, kReportFrame = 3;

// What decode_message() accepts. append_message() returns an error for more.
inline constexpr std::size_t kNameBytesMax = 255;
inline constexpr std::size_t kPathBytesMax = 4095;
inline constexpr std::size_t kSentenceBytesMax = 16 * 1024;
inline constexpr std::size_t kListEntriesMax = 16 * 1024;

// Appends one frame to `out`. Returns an error, and leaves `out` as it was, if the other end would refuse the message.
Result<void> append_message(std::string& out, const ControlMessage& message);

// An error names the type of the message and what is wrong with it.
Result<ControlMessage> decode_message(const Frame& frame);

}  // namespace dpm::control
