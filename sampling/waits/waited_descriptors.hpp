// The descriptors at which a thread waits in a system call.
//
// Of poll, select and epoll they are in the memory of the thread, or in /proc, and are read later than the call: a thread that has gone on
// meanwhile may have others.
#pragma once

#include <cstdint>
#include <vector>

#include "sampling/states/system_calls.hpp"

namespace dpm::sampling {

inline constexpr std::size_t kWaitedDescriptorsMax = 1024;  // of one call; the others are left out

// In ascending order; empty: the call waits for none, or they may not be read.
std::vector<int> waited_descriptors(std::uint32_t thread, const SystemCall& call);

}  // namespace dpm::sampling
