// Waits for the user's next line and shows what machines report meanwhile.
#pragma once

#include <chrono>
#include <functional>

#include "control/client/connections.hpp"

namespace dpm::cli {

struct WhileWaiting {
  control::Connections* machines = nullptr;
  std::function<void()> show_reports;                   // some of them, and lines that have long been incomplete
  std::function<std::chrono::milliseconds()> patience;  // until there is something to show
};

enum class Woken { input, shown, interrupted };

// Returns when `input` can be read, something may have been shown, or the user interrupts. However much is reported, input
// and interruptions come first.
Woken wait_for(int input, const WhileWaiting& meanwhile);

}  // namespace dpm::cli
