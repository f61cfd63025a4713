#include "trace/symbols/code_location.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace dpm {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string hexadecimal(std::uint64_t number) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

}  // namespace

std::string function_text(const CodeLocation& location) {
  if (!location.function.empty()) return location.function;
  if (location.module.empty()) return hexadecimal(location.module_offset);
  return fmt::format("{}+{}", base_name(location.module), hexadecimal(location.module_offset));
}

std::string source_text(const CodeLocation& location) {
  if (location.line > 0) return fmt::format("{}:{}", base_name(location.source_file), location.line);
  return base_name(location.module);
}

}  // namespace dpm
