// A daemon on standard input and output, as a controller's launcher would reach it, so that DPM_SSH can name it.
#pragma once

#include <functional>

#include "control/protocol/control_message.hpp"

namespace dpm::control::test {

// Ends the process if the controller is gone.
void send(const ControlMessage& message);

// Replies to Hello with `welcome`, and lets `perform` reply to every other request. Returns when the controller has closed.
void serve(const Welcome& welcome, const std::function<void(const Request&)>& perform);

}  // namespace dpm::control::test
