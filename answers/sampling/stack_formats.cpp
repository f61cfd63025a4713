#include "answers/sampling/stack_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "text/printable.hpp"

namespace dpm::cli {
namespace {

// A name of Rust may have a semicolon ("[u8; 4]"), which divides frames here.
std::string frame_text(const std::string& name) {
  std::string text = printable(name);
  std::replace(text.begin(), text.end(), ';', ':');
  return text;
}

}  // namespace

std::string folded_text(const sampling::NamedStacks& stacks) {
  std::map<std::string, std::uint64_t> lines;  // functions of the same name in two files are one here
  for (const auto& [stack, count] : stacks.counts) {
    std::string line = frame_text(stacks.programs[stack.program]);
    for (const std::uint32_t function : stack.functions) line += ";" + frame_text(stacks.functions[function].name);
    lines[line] += count;
  }
  std::string text;
  for (const auto& [line, count] : lines) text += fmt::format("{} {}\n", line, count);
  return text;
}

nlohmann::ordered_json speedscope_json(const sampling::NamedStacks& stacks, const std::string& name) {
  auto frames = nlohmann::ordered_json::array();
  for (const auto& function : stacks.functions) {
    nlohmann::ordered_json frame = {{"name", printable(function.name)}};
    if (!function.file.empty()) frame["file"] = printable(function.file);
    frames.push_back(std::move(frame));
  }
  auto profiles = nlohmann::ordered_json::array();
  for (const auto& program : stacks.by_program()) {
    auto samples = nlohmann::ordered_json::array(), weights = nlohmann::ordered_json::array();
    for (const auto& [stack, count] : stacks.counts) {
      if (stack.program != program.program) continue;
      samples.push_back(stack.functions);
      weights.push_back(count * stacks.interval_ns);
    }
    profiles.push_back({{"type", "sampled"},
                        {"name", printable(stacks.programs[program.program])},
                        {"unit", "nanoseconds"},
                        {"startValue", 0},
                        {"endValue", program.stacks * stacks.interval_ns},
                        {"samples", std::move(samples)},
                        {"weights", std::move(weights)}});
  }
  return {{"$schema", "https://www.speedscope.app/file-format-schema.json"},
          {"exporter", "dpm sample"},
          {"name", printable(name)},
          {"activeProfileIndex", 0},
          {"shared", {{"frames", std::move(frames)}}},
          {"profiles", std::move(profiles)}};
}

}  // namespace dpm::cli
