// Where in a program's code a call was made, and which files contain the code.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/linux/callers/caller_finder.hpp"
#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

class CodePlaces {
 public:
  // `callers`: look for the place in the program's own code, instead of that of the system call.
  CodePlaces(Shared& shared, bool callers) : shared_(shared) {
    if (callers) callers_.emplace();
  }

  std::uint64_t place_of(const Notification& notification, TrackedThread& thread);
  // The process runs another program now, or has ended.
  void forget(std::uint32_t pid) {
    if (callers_) callers_->forget(pid);
  }

 private:
  void note_code(TrackedThread& thread, std::uint64_t pc);

  Shared& shared_;
  std::optional<CallerFinder> callers_;
};

}  // namespace dpm
