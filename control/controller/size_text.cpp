#include "control/controller/size_text.hpp"

#include <fmt/format.h>

namespace dpm::control {

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kKilo = 1000;
  if (bytes < kKilo) return fmt::format("{} bytes", bytes);
  if (bytes < kKilo * kKilo) return fmt::format("{} kB", (bytes + kKilo / 2) / kKilo);
  return fmt::format("{} MB", (bytes + kKilo * kKilo / 2) / (kKilo * kKilo));
}

std::string age_text(std::uint64_t seconds) {
  constexpr std::uint64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;
  if (seconds < kMinute) return fmt::format("{} s", seconds);
  if (seconds < kHour) return fmt::format("{} min", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{} h", seconds / kHour);
  return fmt::format("{} days", seconds / kDay);
}

}  // namespace dpm::control
