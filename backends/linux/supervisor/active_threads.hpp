// How many threads of the program have made calls lately. A switch between two CPUs costs ten times the work of a call.
// A wake-up on the caller's CPU saves that, but slows the program down when several threads are active.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

namespace dpm {

class ActiveThreads {
 public:
  // After some calls: whether to wake the supervisor on the caller's CPU. Nothing at the other calls.
  std::optional<bool> made_call(std::uint32_t tid) {
    constexpr std::uint64_t kLookEvery = 256, kFew = 4;
    if (std::find(std::begin(recent_), std::end(recent_), tid) == std::end(recent_))
      recent_[at_++ % std::size(recent_)] = tid;
    if (++calls_ % kLookEvery != 0) return std::nullopt;
    const auto active = static_cast<std::uint64_t>(
        std::count_if(std::begin(recent_), std::end(recent_), [](auto recent) { return recent != 0; }));
    std::fill(std::begin(recent_), std::end(recent_), 0u);
    at_ = 0;
    return active <= kFew;
  }

 private:
  std::uint32_t recent_[8] = {};
  std::size_t at_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace dpm
