// Ways to the kernel beside the calls of the C library: io_uring, libaio, and 32-bit calls. All return as a call does.
#pragma once

#include <linux/aio_abi.h>
#include <linux/io_uring.h>

#include <initializer_list>

#include "tests/live/calls/account.hpp"

namespace dpm::cells {

// One operation of the process's ring, which is made by the first.
long by_ring(unsigned char operation, int fd, const void* bytes, std::size_t length, std::uint64_t offset = 0,
             unsigned flags = 0);
long splice_by_ring(unsigned char operation, int in, int out, std::size_t length);
// Registers the memory with the ring first.
long by_ring_registered(unsigned char operation, int fd, char* bytes, std::size_t length);

long by_aio(unsigned short operation, int fd, const void* bytes, std::size_t length);

// By int $0x80. What it points to lies below 4 GiB: these put it there.
long call_32(long number, long a, long b, long c);
long vector_32(char* bytes, std::size_t length);
long arguments_32(std::initializer_list<long> values);
inline constexpr long kWrite32 = 4, kRead32 = 3, kReadv32 = 145, kWritev32 = 146, kSocketcall = 102, kSendto32 = 369,
                      kRecvfrom32 = 371;

}  // namespace dpm::cells
