// Messages in a byte stream: one message is one SEND, from its first byte that a process takes.
//
//     SENDs      |----- A -----|-- B --|-- C --|------- D -------|
//     RECEIVEs   |--- 1 ---|------- 2 ------|- 3 -|---- 4 ----|
//     messages   1: A      2: B, C          3: D  4: none, more of D
//
// A receiver can continue as soon as the first byte that was sent is there, so the message's arc ends there; later
// bytes follow in the receiver's own order, and an arc for them would add nothing. A RECEIVE that takes several SENDs
// is as many messages; one that only continues a SEND is not a message.
//
// When several processes read one stream (a descriptor shared by fork), a SEND whose bytes go to more than one of them
// is a message to each: each could only continue because of that SEND. Bytes that no process was seen to take count for
// the process that took the next ones, or else the last. But what no process took at the end of a stream was not received: the
// message's SEND has its whole length, and its RECEIVE the bytes before.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/messages/byte_ranges.hpp"

namespace dpm {

// A SEND as a message to one process.
struct MessagePart {
  ProcessId receiver;
  std::uint64_t first_byte = 0;  // that the receiver took: the message's sequence number
  std::uint64_t length_bytes = 0;
  std::uint64_t unread_bytes = 0;  // of them: the end of the stream, which no process took
};

// A part of what one RECEIVE took that is a message to its process.
struct TakenMessage {
  ProcessId sender;              // none: the sender of these bytes was not seen
  std::uint64_t first_byte = 0;  // as in the MessagePart
  std::uint64_t length_bytes = 0;  // without its unread bytes
};

// The messages of sent[index], by first byte; none if no process received any of it.
void find_parts(const ByteRanges& sent, const ByteRanges& received, std::size_t index, std::vector<MessagePart>* parts);

// The messages of received[index], by first byte. Bytes whose sender was not seen are one of them, without a sender.
void find_taken(const ByteRanges& sent, const ByteRanges& received, std::size_t index,
                std::vector<TakenMessage>* taken);

}  // namespace dpm
