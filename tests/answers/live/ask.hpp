// A request of LiveTrace, and the wait for its answer.
#pragma once

#include <future>

#include "answers/live/live_trace.hpp"

namespace dpm::test {

inline Result<view::Answer> ask_and_wait(cli::LiveTrace& live, const view::PageRequest& request) {
  std::promise<Result<view::Answer>> answer;
  live.answer(request, [&](Result<view::Answer> found) { answer.set_value(std::move(found)); });
  return answer.get_future().get();
}

}  // namespace dpm::test
