#include "text/bytes_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "model/lower_case.hpp"

namespace dpm {
namespace {

constexpr std::string_view kSizePrefixes = "kmgt";  // each is 1024 of the one before
constexpr double kLargestBytes = 1e18;              // whole numbers of it do not overflow

}  // namespace

Result<std::uint64_t> bytes_from(const std::string& text) {
  const Error refused{
      fmt::format("'{}' is not a size: bytes, or a number with its unit, such as 512B, 64k or 8MiB", text)};
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string number = text.substr(0, digits);
  char* end = nullptr;
  double bytes = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0') return refused;
  std::string unit = lower_case(text.substr(digits));
  if (const auto prefix = unit.empty() ? std::string_view::npos : kSizePrefixes.find(unit.front());
      prefix != std::string_view::npos) {
    bytes *= std::pow(1024, static_cast<double>(prefix + 1));
    unit.erase(0, 1);
    if (unit == "ib") unit = "b";
  }
  if (!unit.empty() && unit != "b") return refused;
  if (bytes > kLargestBytes) return Error{fmt::format("'{}' is more than {:g} bytes", text, kLargestBytes)};
  return static_cast<std::uint64_t>(std::llround(bytes));
}

}  // namespace dpm
