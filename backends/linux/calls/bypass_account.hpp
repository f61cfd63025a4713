// What bypassed the meter, or may have. It is reported at the end, so that nothing is missing silently.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/ledger.hpp"
#include "os/kernel/bypass_survey.hpp"

namespace dpm {

// Ways to move data that are seen to be used, and whose messages are not recorded.
enum class Bypass : std::uint8_t {
  none,
  aio_operation,   // of libaio, on a pipe or eventfd
  aio_context,     // of libaio: what it is used for is not known
  ring,            // an io_uring, likewise
  ring_operation,  // of io_uring, on a pipe or eventfd
  call_32,         // of 32-bit code
  multipath,       // MPTCP
  other_socket,    // SCTP, vsock, netlink between processes, ...
  packet_pipe,     // O_DIRECT: a reader takes a packet, and what it does not read of it is gone
  urgent,          // MSG_OOB: a byte out of its order
  terminal,        // a pseudo-terminal
  posix_queue,
  sysv_queue,
  memory,  // of another process
  count,
};

class BypassAccount {
 public:
  // The process used this way, `calls` more times.
  void add_calls(Bypass way, const std::string& process, std::uint64_t calls);
  void add(const std::string& process, const OpenBypasses& open);
  // The process ended before it could be looked at, and made no metered call.
  void add_unseen(const std::string& process) { unseen_.insert(process); }

  // One sentence for each kind.
  std::vector<std::string> warnings() const;
  // Calls that moved something which is not recorded, a loss for each kind.
  std::vector<Loss> losses() const;

 private:
  struct Segment {
    std::string name;
    std::set<std::string> processes;
  };
  struct Used {
    std::uint64_t calls = 0;
    std::set<std::string> processes;
  };
  std::map<Bypass, Used> used_;
  std::set<std::string> with_rings_, not_native_, unseen_;
  std::map<std::string, Segment> segments_;
};

}  // namespace dpm
