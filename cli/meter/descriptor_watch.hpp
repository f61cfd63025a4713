// A thread of its own that looks after descriptors while this one works: signals that are to stop the work instead of
// ending the process, requests from outside.
#pragma once

#include <signal.h>

#include <functional>
#include <thread>
#include <vector>

#include "os/unique_fd.hpp"

namespace dpm::cli {

// Signals as a descriptor. Threads that are to be spared them must have been started after it.
class SignalDescriptor {
 public:
  explicit SignalDescriptor(const std::vector<int>& signals);
  SignalDescriptor(const SignalDescriptor&) = delete;
  SignalDescriptor& operator=(const SignalDescriptor&) = delete;
  ~SignalDescriptor();

  int fd() const { return fd_.get(); }
  bool take();  // one that has come, if any

 private:
  sigset_t before_ = {};
  UniqueFd fd_;
};

class DescriptorWatch {
 public:
  struct Watched {
    int fd = -1;
    std::function<void()> handle;  // called in the thread when `fd` is readable
  };

  explicit DescriptorWatch(std::vector<Watched> watched);
  DescriptorWatch(const DescriptorWatch&) = delete;
  DescriptorWatch& operator=(const DescriptorWatch&) = delete;
  ~DescriptorWatch();  // waits for a handler that is at work

 private:
  void run();

  std::vector<Watched> watched_;
  UniqueFd end_;
  std::thread thread_;
};

}  // namespace dpm::cli
