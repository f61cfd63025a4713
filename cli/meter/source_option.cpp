#include "cli/meter/source_option.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "backends/linux/sources/metering_methods.hpp"

namespace dpm::cli {
namespace {

std::string ring_size(const std::string& text) {
  constexpr std::size_t kLeast = 4096, kMost = std::size_t{1} << 30;
  std::size_t bytes = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  const bool is_whole = wrong == std::errc() && end == text.data() + text.size();
  if (!is_whole || bytes < kLeast || bytes > kMost || !std::has_single_bit(bytes))
    return fmt::format("a ring has a power of two of bytes, from {} to {}, not '{}'", kLeast, kMost, text);
  return "";
}

}  // namespace

SourceOption::SourceOption() : chooser_(metering_methods()) {}

void SourceOption::describe(Options& options) {
  if (chooser_.methods().size() < 2) return;
  std::string help = fmt::format(
      "How the program is observed (default: {}, the first of these that this account may use)", SourceChooser::kAuto);
  for (const auto& method : chooser_.methods()) help += fmt::format("; {}: {}", method->name(), method->summary());
  options.value("--source", name_, help)
      .one_of(chooser_.names())
      .former_word(kFormerEbpf, kEbpf)
      .environment("DPM_SOURCE");
}

void SourceOption::describe(Options& options, MeteringMethod::Options& method) {
  describe(options);
  if (chooser_.methods().size() < 2) return;
  options
      .value("--ring", method.ring_bytes,
             "The bytes of each processor's ring, where records of --source ebpf wait: a power of two (default: 8 MiB)")
      .bytes()
      .check(ring_size);
  options.flag("--hand-overs", method.hand_overs,
               "Also record what threads that share memory hand over to each other, such as locks and semaphores, as "
               "messages without bytes; needs --source ebpf");
}

}  // namespace dpm::cli
