// A thread that handles descriptors while the main thread works: signals that stop the work instead of ending the
// process, and requests from outside.
#pragma once

#include <signal.h>

#include <functional>
#include <thread>
#include <vector>

#include "os/unique_fd.hpp"

namespace dpm::cli {

// Signals as a descriptor. Only threads that start after it was made are protected from these signals.
class SignalDescriptor {
 public:
  explicit SignalDescriptor(const std::vector<int>& signals);
  SignalDescriptor(const SignalDescriptor&) = delete;
  SignalDescriptor& operator=(const SignalDescriptor&) = delete;
  ~SignalDescriptor();

  int fd() const { return fd_.get(); }
  bool take();  // consumes one pending signal; false if there is none

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
  ~DescriptorWatch();  // waits until a running handler returns

 private:
  void run();

  std::vector<Watched> watched_;
  UniqueFd end_;
  std::thread thread_;
};

}  // namespace dpm::cli
