#include "cli/control/user_state.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

namespace dpm::cli {

std::string user_state_folder() {
  namespace fs = std::filesystem;
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (state != nullptr && *state == '/') {
    folder = state;
  } else if (home != nullptr && *home == '/') {
    folder = fs::path(home) / ".local/state";
  } else {
    return "";
  }
  std::error_code failed;
  fs::create_directories(folder, failed);
  folder /= "dpm";
  mkdir(folder.c_str(), 0700);
  return fs::is_directory(folder, failed) ? folder.string() : "";
}

}  // namespace dpm::cli
