// ServerCounters that one thread changes and others read.
#pragma once

#include <mutex>

#include "view/server/server_counters.hpp"

namespace dpm::view {

class SharedCounters {
 public:
  template <typename Change>
  void change(Change change) {
    const std::lock_guard lock(mutex_);
    change(counters_);
  }
  void refuse(Refusal why) {
    change([why](ServerCounters& counters) { ++counters[why]; });
  }
  void add(std::uint64_t ServerCounters::*member, std::uint64_t number = 1) {
    change([=](ServerCounters& counters) { counters.*member += number; });
  }
  void subtract(std::uint64_t ServerCounters::*member) {
    change([=](ServerCounters& counters) { --(counters.*member); });
  }
  ServerCounters read() const {
    const std::lock_guard lock(mutex_);
    return counters_;
  }

 private:
  mutable std::mutex mutex_;
  ServerCounters counters_;
};

}  // namespace dpm::view
