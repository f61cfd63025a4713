// Folders and paths of the user that we are.
#pragma once

#include <string>

#include "model/result.hpp"

namespace dpm {

// $HOME, or what the system's list of users says; "/" if neither says anything.
std::string home_folder();

// "~/x" is the user's; any other path is what it is. What is relative begins at home.
std::string expand_path(const std::string& path);

// state_folder() (meter_link/state_folder.hpp): made if it is not there, for the user alone.
Result<std::string> make_state_folder();

// Makes the folder with all that lead to it; none is an error if it is there.
Result<void> make_folders(const std::string& path, unsigned mode);

}  // namespace dpm
