// Blocks Control-C, Control-\, SIGTERM and SIGHUP, and makes them readable, as long as it lives. SIGHUP and Control-\ stay ignored where
// they were, as nohup wants it.
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
  // Whether one came that ends us. Those of the keyboard are for the command beside us, if there is one.
  bool take_end(bool has_command);

 private:
  int take();  // one that came, or 0

  sigset_t set_, before_;
  UniqueFd fd_;
};

}  // namespace dpm
