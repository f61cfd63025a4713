// A program whose calls are notified, however it was obtained (launched, acquired, or taken over from a keeper): all
// that a LinuxSource needs to meter it.
#pragma once

#include <cstdint>
#include <string>

#include "os/kernel/notification_slots.hpp"
#include "os/kernel/seccomp_listener.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

struct MeteredProgram {
  std::uint32_t pid = 0;             // its first process
  std::string command;               // as typed, or the name of an acquired program
  bool from_start = false;           // launched by dpm: every event from its start is seen
  bool exact_paths = false;          // socket, connect, dup and close are notified as well
  bool privileges_given_up = false;  // no_new_privs had to be set: setuid programs run without their privileges
  UniqueFd listener;                 // empty: its calls do not wait (LaunchOptions::notifies)
  NotificationSlots slots;           // shared with its keeper
};

}  // namespace dpm
