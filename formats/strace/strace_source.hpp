// A log of `strace -f -ttt -yy` as a source of events: what each process sent and received over sockets and pipes, and which
// processes it created, executed and waited for.
//
// strace prints when a call began. When it returned is known only with -T, or where the log interrupts the call; otherwise
// the call is taken to take no time, and its event is marked as inferred. CPU times are not in a log.
//
// Not seen: datagrams of sockets that are not connected, and what passes without a call of its own (io_uring, shared memory). The first
// are counted.
#pragma once

#include <memory>
#include <string>

#include "formats/import/import_format.hpp"

namespace dpm {

ImportFormat make_strace_import_format();

}  // namespace dpm
