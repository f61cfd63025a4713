// The parameters that a process gives its program, and the program's defaults for the rest.
#pragma once

#include <string>

#include "scenarios/document/reading.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm {

// A program written in C++ with these parameters (an object, or null). What is wrong is a problem of `reading`; then null.
// `at` is where it is named, as `name`.
Program make_program(const std::string& name, const ProgramDescription& description, const JsonNode& at,
                     const JsonNode* parameters, const Reading& reading);

// The names that the steps of a program written in the file may use, on top of reading.names, which must outlive the result.
Environment parameters_of(const JsonNode& program, const JsonNode* parameters, const Reading& reading);

}  // namespace dpm
