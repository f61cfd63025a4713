// The programs written in C++ that a scenario file may name. Those of scenarios/*/program.cpp are collected by the build
// (scenarios/CMakeLists.txt); a test may add its own.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/program.hpp"

namespace dpm {

class ProgramRegistry {
 public:
  // Two programs of one name are our own mistake: it stops.
  void add(std::vector<ProgramDescription> programs);

  const ProgramDescription* find(std::string_view name) const;  // null if there is none
  std::vector<std::string> names() const;

 private:
  std::map<std::string, ProgramDescription, std::less<>> programs_;
};

// Every program of every scenarios/NAME/program.cpp.
ProgramRegistry shipped_programs();

}  // namespace dpm
