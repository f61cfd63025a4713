// A list of names of any length in a few words.
#pragma once

#include <string>
#include <vector>

namespace dpm {

// "user_1, user_2, user_3 and 4 more"
std::string first_names(const std::vector<std::string>& names);

}  // namespace dpm
