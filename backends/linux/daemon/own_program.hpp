// The file of the program that we are, to start it once more.
#pragma once

#include <string>

namespace dpm {

std::string own_program();

}  // namespace dpm
