// Blocks Control-C and SIGTERM, and makes them readable, as long as it lives.
#pragma once

#include <csignal>

#include "os/unique_fd.hpp"

namespace dpm {

class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  int descriptor() const { return fd_.get(); }
  int take();  // one that came, or 0

 private:
  sigset_t set_, before_;
  UniqueFd fd_;
};

}  // namespace dpm
