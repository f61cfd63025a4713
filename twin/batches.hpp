// Live servers read what several clients have sent before they answer the first of them:
//
//   R1 R2 R3 S1 S2 S3     becomes     R1 S1 R2 S2 R3 S3
//
// so that what is sent follows what it answers. Only batches of varying size are split: a process that always collects
// the same number of messages before it sends as many really waits for all of them.
#pragma once

#include "twin/recording.hpp"

namespace dpm::twin {

// Puts every answer directly after what it answers. Returns how many operations it moved.
std::uint64_t split_batches(Recording& recording);

}  // namespace dpm::twin
