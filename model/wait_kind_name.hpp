// What a WAIT waited for, in a word.
#pragma once

#include <string_view>

#include "model/event.hpp"

namespace dpm {

// "process_end", "thread_end", "signal", "futex"; "unknown" for all other numbers.
constexpr std::string_view name_of(WaitKind kind) {
  switch (kind) {
    case WaitKind::process_end:
      return "process_end";
    case WaitKind::thread_end:
      return "thread_end";
    case WaitKind::signal:
      return "signal";
    case WaitKind::futex:
      return "futex";
  }
  return "unknown";
}

}  // namespace dpm
