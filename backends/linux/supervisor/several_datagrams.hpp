// Datagrams that recvmmsg() takes, several by one call.
//
// The supervisor sees the datagrams that wait when it lets the call go (datagrams_behind), and records them then.
// Others come while the kernel carries out the call, which may wait for more. They are recorded when the call is over,
// by what it left in the program's memory (message_array.hpp), as inferred: when each came is not known any more.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/linux/calls/meter.hpp"
#include "backends/linux/supervisor/message_array.hpp"
#include "os/kernel/socket_queue.hpp"

namespace dpm {

// What was seen of a datagram, or of a part of `bytes` of several that the kernel has merged.
DatagramMark mark_of(const WaitingDatagram& datagram, std::uint64_t bytes);

class SeveralDatagrams {
 public:
  explicit SeveralDatagrams(Meter& meter) : meter_(meter) {}

  struct Asked {
    Call call;
    std::uint64_t address = 0;  // of the array
    std::size_t count = 0;
    std::uint64_t socket = 0;
    bool takes_all = false;      // it returns when it has `count`, not when no more are there
    bool may_be_merged = false;  // each may be several (UDP_GRO)
  };
  // The call goes on, and takes `seen` first.
  void goes_on(const Asked& asked, const std::vector<WaitingDatagram>& seen);
  // The thread's call is over: records what else it took.
  void is_over(std::uint32_t tid, LocalTime time, std::int64_t now_ns);
  // The socket is closed, so the calls on it are over.
  void closed(std::uint64_t socket, LocalTime time, std::int64_t now_ns);
  // The thread's memory is gone.
  void forget(std::uint32_t tid);

  struct Waiting {
    std::uint32_t tid = 0;
    std::int32_t descriptor = -1;
  };
  // Calls that were let go before `since_ns`, and may be over.
  std::vector<Waiting> waiting(std::int64_t since_ns) const;
  // About datagrams that were taken but not recorded, and calls that were not looked at again.
  std::vector<std::string> warnings() const;

 private:
  struct UnderWay {
    Asked asked;
    MessageArray array;
    std::vector<MessageEntry> before;
    std::vector<std::uint64_t> seen;  // lengths
    std::string first_sender;
  };
  void others_are_over(const Asked& asked, const MessageArray& array);
  // `part_bytes`: of each of several that the kernel has merged; 0: it is one.
  void record(const Call& call, Socket& socket, const std::string& sender, const DatagramMark& mark,
              std::uint64_t part_bytes);

  Meter& meter_;
  std::unordered_map<std::uint32_t, UnderWay> under_way_;  // by thread
  std::uint64_t unread_ = 0, calls_not_looked_at_ = 0;
  std::uint64_t unparted_ = 0;  // that may be several
};

}  // namespace dpm
