// links: dpm_placing
// Lines that a scheduler sends to the guard of CPU affinities, and what the kernel says of threads.
#include <cstdint>
#include <string_view>

#include "model/check.hpp"
#include "scheduling/placing/affinity_record.hpp"
#include "scheduling/placing/linux_affinity_calls.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  dpm::AffinityRecord record;
  record.add_line(text);
  (void)dpm::parse_thread_facts(text);
  const auto cpus = dpm::parse_cpu_set(text);
  DPM_CHECK(!cpus || dpm::parse_cpu_set(dpm::cpu_set_text(*cpus)) == cpus);
  return 0;
}
