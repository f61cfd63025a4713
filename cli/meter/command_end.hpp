// Notices that the command itself has ended while other processes of the program, such as a daemon, go on.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

#include "os/unique_fd.hpp"

namespace dpm::cli {

class CommandEnd {
 public:
  // A separate thread watches `process_fd`. Most processes that are alive at the command's end are about to end too: the
  // thread asks `others_run` for a while, and calls `left_behind` once if they still run.
  CommandEnd(UniqueFd process_fd, std::function<bool()> others_run, std::function<void()> left_behind);
  CommandEnd(const CommandEnd&) = delete;
  CommandEnd& operator=(const CommandEnd&) = delete;
  ~CommandEnd();  // waits until a running `left_behind` returns

 private:
  void run();
  bool pause(int limit_ms, bool for_process);

  UniqueFd process_fd_, over_;
  std::function<bool()> others_run_;
  std::function<void()> left_behind_;
  std::thread thread_;
};

}  // namespace dpm::cli
