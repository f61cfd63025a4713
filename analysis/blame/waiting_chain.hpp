// The processes that wait for each other, from the one whose time is divided on.
#pragma once

#include <cstdint>

#include "model/ids.hpp"

namespace dpm {

struct WaitingChain {
  ProcessId process;
  const WaitingChain* above = nullptr;
  std::uint32_t depth = 0;

  WaitingChain with(ProcessId next) const { return {next, this, depth + 1}; }
  // Whether this process is one of them, so that its wait is for itself.
  bool has(ProcessId other) const {
    for (const WaitingChain* link = this; link != nullptr; link = link->above)
      if (link->process == other) return true;
    return false;
  }
};

}  // namespace dpm
