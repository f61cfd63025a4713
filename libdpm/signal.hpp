// A signal by name (S3 3.2): it is sent to a process, and waited for as a message is. A handler could interrupt the program while
// it records; here the signal stays blocked, and a receive() takes it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <dpm/monitor/object.hpp>

namespace dpm::monitor {

class Signal : private Named {
 public:
  // Blocks the signal in the calling thread, and in those that it starts later.
  Signal(Monitor* owner, const char* function, const char* name, int number);
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  bool send(pid_t process, Report report = Report::kYes);
  // False when none came within the time. Ordinary signals that come before they are received are one.
  bool receive(std::chrono::nanoseconds within, Report report = Report::kYes);
  std::int64_t received() const { return received_; }

 private:
  int number_;
  sigset_t set_;
  std::int64_t received_ = 0;
};

}  // namespace dpm::monitor
