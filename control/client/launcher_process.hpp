// The process of a launcher's command (launcher.hpp), whose standard input and output lead to a daemon.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "os/net/descriptor.hpp"
#include "os/net/timer.hpp"

namespace dpm {

class LauncherProcess {
 public:
  struct Started;
  static Result<Started> start(asio::io_context& context, const std::vector<std::string>& command);
  LauncherProcess(const LauncherProcess&) = delete;
  LauncherProcess& operator=(const LauncherProcess&) = delete;
  // The channel must be closed. The process ends by itself, by SIGTERM or by SIGKILL, while the io_context runs.
  ~LauncherProcess();

  // When its standard error has ended, or a second later: the last of what it wrote there.
  void when_silent(std::function<void(const std::string& said)> then);

 private:
  LauncherProcess(asio::io_context& context, pid_t pid, UniqueFd errors);
  void read_errors();
  void fall_silent();

  asio::io_context& context_;
  pid_t pid_;
  std::string said_;  // the end of it
  std::function<void(const std::string&)> then_;
  Timer patience_;
  std::unique_ptr<Descriptor> errors_;  // until it ends
};

struct LauncherProcess::Started {
  std::unique_ptr<LauncherProcess> process;
  UniqueFd channel;  // its standard input and output
};

}  // namespace dpm
