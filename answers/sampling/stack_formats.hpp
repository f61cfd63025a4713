// Call stacks in the two forms that other tools read.
//
// Folded text: a line for each stack, the program and its functions from the outermost call on, and how often it was found:
//
//   server;main;handle;parse 312
//
// The JSON of speedscope (https://www.speedscope.app/file-format-schema.json): a profile of type "sampled" for each program. Equal
// stacks are one sample with the weight of all, so that a file does not grow with time.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sampling/stacks/named_stacks.hpp"

namespace dpm::cli {

std::string folded_text(const sampling::NamedStacks& stacks);
// `name`: of what was sampled.
nlohmann::ordered_json speedscope_json(const sampling::NamedStacks& stacks, const std::string& name);

}  // namespace dpm::cli
