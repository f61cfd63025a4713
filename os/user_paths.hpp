// Folders and paths of the user that runs this process.
#pragma once

#include <string>

#include "model/result.hpp"

namespace dpm {

// $HOME, or else the home that the system's list of users has for the effective user; "/" if there is none.
std::string home_folder();

// Replaces "~/" at the beginning by the home folder. A relative path begins there, too.
std::string expand_path(const std::string& path);

// Where a user's programs keep what outlives them: $XDG_STATE_HOME/dpm, or ~/.local/state/dpm.
std::string state_folder();
// The same; makes the folder if it is missing, and only the user may enter it.
Result<std::string> make_state_folder();

// Makes the folder and every folder above it. A folder that exists is not an error.
Result<void> make_folders(const std::string& path, unsigned mode);

// Makes the folders above a file or folder that is going to be made.
Result<void> make_parent_folders(const std::string& path);

}  // namespace dpm
