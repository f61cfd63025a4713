#include "cli/meter/source_option.hpp"

#include <fmt/format.h>

#include "backends/linux/sources/metering_methods.hpp"

namespace dpm::cli {
namespace {

std::string ring_size(const std::string& text) {
  constexpr std::size_t kLeast = 4096, kMost = std::size_t{1} << 30;
  std::size_t bytes = 0;
  if (!CLI::detail::lexical_cast(text, bytes) || bytes < kLeast || bytes > kMost || (bytes & (bytes - 1)) != 0)
    return fmt::format("a ring has a power of two of bytes, from {} to {}, not '{}'", kLeast, kMost, text);
  return "";
}

}  // namespace

SourceOption::SourceOption() : chooser_(metering_methods()) {}

void SourceOption::describe(CLI::App& app) {
  if (chooser_.methods().size() < 2) return;
  std::string help = fmt::format(
      "How the program is observed (default: {}, the first of these that this account may use)", SourceChooser::kAuto);
  for (const auto& method : chooser_.methods()) help += fmt::format("; {}: {}", method->name(), method->summary());
  app.add_option("--source", name_, help)->check(CLI::IsMember(chooser_.names()))->envname("DPM_SOURCE");
}

void SourceOption::describe(CLI::App& app, MeteringMethod::Options& options) {
  describe(app);
  if (chooser_.methods().size() < 2) return;
  app.add_option(
         "--ring", options.ring_bytes,
         "The bytes of each processor's ring, where records of --source kernel wait: a power of two (default: 8 MiB)")
      ->transform(CLI::AsSizeValue(false))
      ->check(ring_size);
}

}  // namespace dpm::cli
