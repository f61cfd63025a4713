// One request of a trace, step by step: the messages that it caused, when they were sent and received. Times are those of the
// replay of the traced placement, which has one clock (analysis/history/replay.hpp).
#pragma once

#include <cstdint>

#include "answers/findings/findings.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

inline constexpr std::size_t kRequestStepsMost = 2000;

// `number` counts the requests of all requestors from 0, in the order in which they were received.
Result<view::Json> request_diagram(const Findings& found, std::uint64_t number);

}  // namespace dpm::cli
