// The system calls a meter is notified of, and how to read their arguments: all varieties of read() and write() come
// down to a few families (metering report 3.2: "it is not important to distinguish between the varieties").
#pragma once

#include <cstdint>
#include <span>

#include "backends/linux/calls/bypass_account.hpp"

namespace dpm {

enum class CallFamily : std::uint8_t {
  receive,
  send,
  accept,
  transfer,
  give,  // vmsplice(): a send or a receive, as the pipe's end is
  copy,  // tee(): what it sends stays where it was
  child,
  path,
  confine,
  bypass,  // moves data, and is not followed: counted
};

// What a call of the path family does.
enum class PathCall : std::uint8_t { none, socket, pair, listen, connect, dup, dup_to, close };

// Where a call says how many bytes it wants to move.
enum class LengthForm : std::uint8_t {
  none,
  argument,   // the third argument
  vector,     // an array of struct iovec: second argument where, third how many
  message,    // a struct msghdr at the second argument
  messages,   // an array of struct mmsghdr at the second argument, third how many
  to_socket,  // sendfile, splice, tee: MeteredCall::byte_count names the argument
};

struct MeteredCall {
  std::int32_t number = 0;
  CallFamily family = CallFamily::receive;
  LengthForm length = LengthForm::none;
  std::int16_t descriptor = 0;  // which argument holds it
  std::int16_t flags = -1;      // which argument holds MSG_ flags; -1: none
  std::int16_t position =
      -1;  // which argument names a place in a file: -1 for none, which is all that a stream accepts
  std::int16_t rw_flags = -1;      // which argument holds RWF_ flags
  std::int16_t splice_flags = -1;  // which argument holds SPLICE_F_ flags
  std::int16_t address = -1;       // which argument points to the receiver's name; its length follows
  std::int16_t source = -1;        // transfers: which argument is the descriptor that is read,
  std::int16_t source_at = -1;     // and which points to the offset it is read at
  std::int16_t byte_count = 2;     // which argument holds the length, for LengthForm::argument and to_socket
  PathCall path = PathCall::none;
  bool counted_in_io = false;  // its result is added to the thread's rchar or wchar
  Bypass bypass = Bypass::none;
};

// The calls that may return EINTR to any program; they are always notified.
std::span<const int> harmless_calls();
// The calls of 32-bit code that may move data, by their i386 numbers: notified to be counted.
std::span<const int> calls_of_32_bit_code();
// The calls that may not return EINTR, but tell exactly which process makes which path; notified with --exact-paths
// only.
std::span<const int> path_calls();

// nullptr if the call is not metered. `number`: the x86-64 number.
const MeteredCall* find_metered_call(std::int32_t number);

}  // namespace dpm
