// Control messages as frames, and back.
//
//     frame body:  length of the text 4 | text: one JSON object | raw bytes of the message         little-endian
//     text:        {"type": "create_process", "number": 7, "job": "foo", ...}
//
// The frame's kind says request, reply or report; `type` which of them. The raw bytes are those of Input, PutFile,
// LogPiece and Output, of any content. Text that is no UTF-8 (names of files need not be) is written {"hex":
// "2f746d70"}.
//
// Nothing is trusted: every field must be there, of its type, within its range and length, and no other field. Only
// Hello and Welcome may hold fields that we do not know, because a peer of another version says so with them. No I/O.
#pragma once

#include <string>

#include "backends/linux/remote/protocol/control_message.hpp"
#include "backends/linux/transport/frames/frame.hpp"
#include "model/result.hpp"

namespace dpm::control {

inline constexpr std::uint8_t kRequestFrame = 1, kReplyFrame = 2, kReportFrame = 3;

// What decode_message() accepts; whoever sends more gets the error from append_message().
inline constexpr std::size_t kNameBytesMax = 255;
inline constexpr std::size_t kPathBytesMax = 4095;
inline constexpr std::size_t kSentenceBytesMax = 16 * 1024;
inline constexpr std::size_t kListEntriesMax = 16 * 1024;

// Appends one frame to `out`. An error, and `out` as it was, if the message is one that the other end would refuse.
Result<void> append_message(std::string& out, const ControlMessage& message);

// An error says what is wrong with the message and of which type it is.
Result<ControlMessage> decode_message(const Frame& frame);

}  // namespace dpm::control
