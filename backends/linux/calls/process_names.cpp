#include "backends/linux/calls/process_names.hpp"

#include <fmt/format.h>

namespace dpm {
namespace {

constexpr const char* kUnnamed = "process";

}  // namespace

std::string file_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string first_word(const std::string& command) { return command.substr(0, command.find(' ')); }

std::string name_or_file(const std::string& name, const std::string& path) {
  constexpr std::size_t kNameMax = 15;
  if (name.size() == kNameMax && file_name(path).starts_with(name)) return file_name(path);
  if (!name.empty()) return name;
  return path.empty() ? kUnnamed : file_name(path);
}

bool is_unnamed(const std::string& name, const std::string& path) { return path.empty() && name == kUnnamed; }

std::string listed(const std::set<std::string>& names) {
  constexpr std::size_t kNamesShown = 5;
  std::string text;
  std::size_t shown = 0;
  for (const auto& name : names) {
    if (shown++ == kNamesShown) return fmt::format("{} and {} more", text, names.size() - kNamesShown);
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace dpm
