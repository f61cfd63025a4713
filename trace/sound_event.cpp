#include "trace/sound_event.hpp"

namespace dpm {
namespace {

template <typename IdType>
bool in_table(IdType id, std::size_t size) {
  return id.is_none() || id.value < size;
}

bool is_possible(std::uint64_t duration_ns) { return duration_ns < static_cast<std::uint64_t>(kEventTimeEndNs); }

}  // namespace

bool ids_are_known(const Event& event, const TableSizes& sizes) {
  return event.process.value < sizes.processes && in_table(event.peer, sizes.processes) &&
         in_table(event.channel, sizes.channels) && in_table(event.passed_channel, sizes.channels) &&
         event.machine.value < sizes.machines &&
         (event.type != EventType::receive_call || event.code < sizes.channel_sets) &&
         (event.type != EventType::accept || in_table(ChannelId{event.code}, sizes.channels)) &&
         (!is_primitive(event.type) || event.code < sizes.primitive_events);
}

bool values_are_possible(const Event& event) {
  return event.local_time.ns > -kEventTimeEndNs && event.local_time.ns < kEventTimeEndNs &&
         is_possible(event.proc_time_ns) && (!event.has_ready_time() || is_possible(event.ready_time_ns)) &&
         (!event.has_disk_time() || is_possible(event.disk_time_ns)) && event.evidence <= Evidence::inferred &&
         (event.type != EventType::wait || is_possible(event.sequence));
}

}  // namespace dpm
