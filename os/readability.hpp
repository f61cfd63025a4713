// Waits for a descriptor that this process shares with others, and leaves it as it is.
//
// Boost.Asio makes a descriptor non-blocking when it waits for it. That is a property of the open file, not of the descriptor:
// the input, output and error stream on a terminal are often one open file, and a pipe's end is shared with other processes. A
// terminal that does not block takes only a part of long output, and the other programs do not expect the error. To open the
// file again through /proc/self/fd is not possible for sockets, nor for a terminal of another user (after su).
#pragma once

#include "os/unique_fd.hpp"

namespace dpm {

// A new descriptor that can be read while `fd` can be read without waiting, or is at its end; only to wait for. It can always be
// read if the kernel cannot wait for `fd`: a regular file, /dev/null, a closed descriptor. Empty if this process has no
// descriptor left.
UniqueFd readability_of(int fd);

}  // namespace dpm
