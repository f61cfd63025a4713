// Notices that the command itself has ended while other processes of the program go on: a daemon that stays behind.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

#include "os/unique_fd.hpp"

namespace dpm::cli {

class CommandEnd {
 public:
  // A thread of its own watches `process_fd`. Most processes that are alive at the command's end are about to end as
  // well: `others_run` is asked for a while, and `left_behind` is called, once, when they still do.
  CommandEnd(UniqueFd process_fd, std::function<bool()> others_run, std::function<void()> left_behind);
  CommandEnd(const CommandEnd&) = delete;
  CommandEnd& operator=(const CommandEnd&) = delete;
  ~CommandEnd();  // waits for a `left_behind` that is at work

 private:
  void run();
  bool pause(int limit_ms, bool for_process);

  UniqueFd process_fd_, over_;
  std::function<bool()> others_run_;
  std::function<void()> left_behind_;
  std::thread thread_;
};

}  // namespace dpm::cli
