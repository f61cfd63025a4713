#include "control/controller/machine_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace dpm::control {

Result<void> check_machine_name(std::string_view name) {
  constexpr std::size_t kLongest = 255;
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const bool is_good = !name.empty() && name.size() <= kLongest && (is_letter(name.front()) || name.front() == ':') &&
                       std::all_of(name.begin(), name.end(), [&](char c) {
                         return is_letter(c) || std::string_view(".-_@:%").find(c) != std::string_view::npos;
                       });
  if (is_good) return {};
  return Error{fmt::format("'{}' cannot be the name of a machine", name)};
}

}  // namespace dpm::control
