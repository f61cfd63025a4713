// Waits for the user's next line and shows what machines report meanwhile.
#pragma once

#include <functional>

#include "backends/linux/remote/client/connections.hpp"

namespace dpm::cli {

struct WhileWaiting {
  control::Connections* machines = nullptr;
  std::function<void()> show_reports;
  std::function<void()> flush_output;  // shows incomplete lines
  std::function<bool()> has_output_waiting;
};

enum class Woken { input, shown, interrupted };

// Returns when `input` can be read, something may have been shown, or the user interrupts.
Woken wait_for(int input, const WhileWaiting& meanwhile);

}  // namespace dpm::cli
