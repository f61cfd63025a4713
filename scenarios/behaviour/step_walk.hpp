// Walks through steps and the steps they hold.
#pragma once

#include <functional>

#include "scenarios/behaviour/behaviour.hpp"

namespace dpm {

// Every step, at any depth, before the steps it holds.
void each_step(Steps& steps, const std::function<void(Step&)>& visit);

// What steps do to messages, in the order of the steps.
struct MessageUse {
  std::function<void(const KindName&, const Whom& to)> sends;
  std::function<void(const KindName&, const Whom& from)> takes;
};
void each_message(Steps& steps, const MessageUse& use);

}  // namespace dpm
