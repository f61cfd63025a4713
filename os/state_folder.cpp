#include "os/state_folder.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace dpm {

std::string state_folder() {
  // A relative path is to be ignored (XDG base directories).
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && state[0] == '/')
    return std::string(state) + "/dpm";
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return std::string(home) + "/.local/state/dpm";
  const passwd* user = ::getpwuid(::getuid());
  return std::string(user != nullptr ? user->pw_dir : "/tmp") + "/.local/state/dpm";
}

}  // namespace dpm
