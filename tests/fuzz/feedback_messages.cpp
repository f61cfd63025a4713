// links: dpm_scheduling_demos
// Messages of filters to a scheduler: what can be read names only what it describes, and nothing else happens.
#include <cstdint>
#include <span>

#include "model/check.hpp"
#include "scheduling/demos/reduced_message.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = dpm::read_reduced(std::as_bytes(std::span(data, size)));
  if (!read) return 0;
  for (const auto& process : read->processes) DPM_CHECK(process.machine.value < read->machines.size());
  for (const dpm::Event& event : read->events) {
    DPM_CHECK(event.process.value < read->processes.size() && event.machine.value < read->machines.size());
    DPM_CHECK(event.type != dpm::EventType::receive_call || event.code < read->channel_sets.size());
  }
  return 0;
}
