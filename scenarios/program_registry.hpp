// The programs written in C++ that a scenario file may name. Those of scenarios/*/program.cpp are collected by the build
// (scenarios/CMakeLists.txt); a test may add its own.
//
// A program's full name is "folder/name" ("tsp/server"), so that two scenarios may both have a server.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/program.hpp"
#include "model/result.hpp"

namespace dpm {

class ProgramRegistry {
 public:
  // Two programs of one folder and name are our own mistake: it stops.
  void add(const std::string& folder, std::vector<ProgramDescription> programs);

  // By full name; by name alone, if the scenario's own folder `home` has it or only one folder does. The error says which
  // names there are, or that there are several.
  Result<const ProgramDescription*> find(const std::string& name, const std::string& home) const;

  // The full names.
  std::vector<std::string> names() const;

 private:
  std::map<std::string, ProgramDescription> programs_;
};

// Every program of every scenarios/NAME/program.cpp.
ProgramRegistry shipped_programs();

}  // namespace dpm
