// A program that processes of a scenario run, and its description of itself.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/message_calls.hpp"
#include "model/parameters.hpp"

namespace dpm {

// Runs as one process; returning is STOPTASK.
using Program = std::function<void(MessageCalls&)>;

// What a process printed with print_line().
struct PrintedLine {
  std::string process;
  std::string text;

  friend bool operator==(const PrintedLine&, const PrintedLine&) = default;
};

struct ParameterDescription {
  std::string name;
  ParameterValue default_value;  // its kind is the parameter's kind
  std::string meaning;           // with the unit
};

struct ProgramDescription {
  std::string name;
  std::string summary;
  std::vector<ParameterDescription> parameters;
  std::function<Program(const Parameters&)> make;
};

}  // namespace dpm
