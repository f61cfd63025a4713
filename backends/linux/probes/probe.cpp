#include "backends/linux/probes/probe.hpp"

namespace dpm {

WholeNumber probed_value(const Probe& probe, std::uint64_t in_register) {
  constexpr unsigned kRegisterBits = 64;
  if (probe.bits == 0 || probe.bits >= kRegisterBits) return WholeNumber::of_bits(in_register, !probe.is_signed);
  const unsigned above = kRegisterBits - probe.bits;
  const std::uint64_t shifted = in_register << above;
  if (!probe.is_signed) return WholeNumber::of_bits(shifted >> above, true);
  return static_cast<std::int64_t>(shifted) >> above;
}

}  // namespace dpm
