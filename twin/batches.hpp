// Live servers read what several clients have sent before they answer the first of them:
//
//   R1 R2 R3 S1 S2 S3     is told as     R1 S1 R2 S2 R3 S3
//
// so that what is sent belongs to what it answers. Only batches of varying size are told apart: a process that always
// collects so many messages before it sends as many waits for all of them, and means it.
#pragma once

#include "twin/recording.hpp"

namespace dpm::twin {

// Puts every answer behind what it answers. Returns how many ops are told elsewhere than they were.
std::uint64_t take_batches_apart(Recording& recording);

}  // namespace dpm::twin
