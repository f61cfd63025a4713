#include "backends/linux/probes/probe.hpp"

namespace dpm {

std::int64_t probed_value(const Probe& probe, std::uint64_t in_register) {
  constexpr unsigned kRegisterBits = 64;
  if (probe.bits == 0 || probe.bits >= kRegisterBits) return static_cast<std::int64_t>(in_register);
  const unsigned above = kRegisterBits - probe.bits;
  const std::uint64_t shifted = in_register << above;
  return probe.is_signed ? static_cast<std::int64_t>(shifted) >> above : static_cast<std::int64_t>(shifted >> above);
}

}  // namespace dpm
