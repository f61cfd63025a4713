#include "validation/common/claim_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>

#include "model/nearest_name.hpp"
#include "trace/files.hpp"

namespace dpm::validation {
namespace {

struct CommandLine {
  Asked asked;
  std::string result;
};

Result<CommandLine> read_command_line(int argc, char** argv, const std::vector<std::string>& plants) {
  CommandLine line;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    std::string* value = word == "--plant"    ? &line.asked.plant
                         : word == "--dpm"    ? &line.asked.dpm
                         : word == "--result" ? &line.result
                                              : nullptr;
    if (word == "--quick") {
      line.asked.quick = true;
    } else if (value == nullptr) {
      return Error{fmt::format("no option '{}'", word)};
    } else if (i + 1 == argc) {
      return Error{word + " needs a value"};
    } else {
      *value = argv[++i];
    }
  }
  if (line.result.empty()) return Error{"--result FILE is missing: 'dpm validate' runs this program"};
  const std::string& plant = line.asked.plant;
  if (!plant.empty() && std::find(plants.begin(), plants.end(), plant) == plants.end()) {
    std::string list;
    for (const auto& name : plants) list += (list.empty() ? "" : ", ") + name;
    return Error{fmt::format("no error '{}' to plant here{}{}", plant, did_you_mean(plant, plants),
                             plants.empty() ? "" : "; there is " + list)};
  }
  return line;
}

}  // namespace

int run_claim_program(int argc, char** argv, const ClaimProgram& program) {
  const auto line = read_command_line(argc, argv, program.plants);
  if (!line) {
    say(line.error().what);
    return 2;
  }
  try {
    const ClaimResult result = program.measure(line->asked);
    if (const auto done = replace_file(line->result, claim_result_text(result)); !done) {
      say(done.error().what);
      return 1;
    }
  } catch (const std::exception& failure) {
    say(failure.what());
    return 1;
  }
  return 0;
}

void say(const std::string& what) { std::cerr << what << std::endl; }

std::string percent_text(double fraction, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f %%", decimals, fraction * 100);
  return text;
}

std::string signed_text(double fraction, int decimals) {
  const std::string text = percent_text(fraction, decimals);
  if (text.find_first_of("123456789") == std::string::npos) return percent_text(0, decimals);
  return fraction > 0 ? "+" + text : text;
}

std::string number_text(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

}  // namespace dpm::validation
