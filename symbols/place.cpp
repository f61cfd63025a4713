#include "symbols/place.hpp"

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

std::string function_text(const Place& place) {
  if (!place.function.empty()) return place.function;
  if (place.module.empty()) return hexadecimal(place.module_offset);
  return base_name(place.module) + "+" + hexadecimal(place.module_offset);
}

std::string source_text(const Place& place) {
  if (place.line > 0) return base_name(place.source_file) + ":" + std::to_string(place.line);
  return base_name(place.module);
}

}  // namespace dpm
