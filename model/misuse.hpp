// Thrown through a program that did what a process may not do; ends the run. Not a std::exception: programs may catch these.
#pragma once

#include <string>

namespace dpm {

struct Misuse {
  std::string what;      // a whole sentence that names the process
  bool located = false;  // it says where in its file the program does this
};

}  // namespace dpm
