// Compares what was recorded with the kernel's own counts, where there are any.
//
//   TCP                                   each look at a socket tells where its streams stand: the next look checks an
//                                         operation. The last one before the connection is closed may have no next look
//   pipes, UNIX streams: read(), write()  the thread's I/O counters tell what each call moved
//   UNIX streams: send(), recv()          nothing counts them
//   UDP                                   what the receiver's sockets dropped, and whether something waits in them:
//                                         what was sent and is neither has been received (datagram_account.hpp)
//   UNIX datagrams                        nothing counts them
//
// A stream whose both ends are metered is also compared with itself: what was received was sent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/linux/calls/datagram_account.hpp"

namespace dpm {

struct Flow;

class KernelChecks {
 public:
  // Nothing more is recorded of this stream.
  void ended(const Flow& flow);
  void datagram() { ++datagrams_; }
  void datagram_socket() { ++datagram_sockets_; }
  // What became of the datagrams of one UDP receiver.
  void datagrams(const DatagramAccount::Verdict& verdict);

  // For the ledger: what differs, and what is not checkable.
  std::vector<std::string> warnings() const;

 private:
  struct Ends {
    std::uint64_t operations = 0, ends = 0;
  };
  Ends tcp_, others_;  // with operations that were not checked
  std::uint64_t datagrams_ = 0, datagram_sockets_ = 0;
  std::uint64_t lost_datagrams_ = 0, lost_receivers_ = 0;        // sent, and neither received nor dropped
  std::uint64_t surplus_datagrams_ = 0, surplus_receivers_ = 0;  // received, and not seen to be sent
  std::uint64_t surplus_bytes_ = 0, surplus_streams_ = 0;        // received, and not seen to be sent
  std::uint64_t overstated_bytes_ = 0, overstated_ends_ = 0;     // recorded beyond what the kernel counted
};

}  // namespace dpm
