// What the kernel announces: forks, execs and ends of processes, and ends of sockets. An interface, so that a test can
// announce from a script.
#pragma once

#include <cstdint>
#include <functional>

#include "os/kernel/closed_sockets.hpp"
#include "os/kernel/process_connector.hpp"

namespace dpm {

class KernelNews {
 public:
  virtual ~KernelNews() = default;

  // ---- processes. Where nothing is announced, the supervisor looks at them from time to time.
  virtual bool tells_of_processes() const = 0;
  // Hands over the announcements so far. False if the kernel dropped some since the last time.
  virtual bool drain(const std::function<void(const ProcessChange&)>& take) = 0;
  // Until something is announced, or the time is over; where nothing is announced, until the time is over.
  virtual void await(int milliseconds) = 0;
  // Wakes the attending thread when this thread ends, where ends are not announced, and says which it was.
  virtual void watch_end(int thread_fd, std::uint32_t tid) = 0;

  // ---- sockets
  virtual bool tells_of_sockets() const = 0;
  struct SocketNews {
    bool complete = true;  // every end since the last time was handed over
    bool listens = true;   // ends from now on will be; announcements are paused while they come too fast
  };
  virtual SocketNews drain_closed_sockets(const std::function<void(const ClosedSocket&)>& take,
                                          std::int64_t steady_now_ns) = 0;
  // False if nothing was announced in that time.
  virtual bool await_closed_socket(int milliseconds) = 0;
};

}  // namespace dpm
