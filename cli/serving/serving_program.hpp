// The program that shows pages.
#pragma once

#include <string>

namespace dpm::cli {

std::string serving_program();

}  // namespace dpm::cli
