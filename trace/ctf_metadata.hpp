// The text that lets other tools read stream files: CTF 1.8's TSDL, as babeltrace2 and Trace Compass read it. It
// grows by appending: the prologue when the trace is created, then one declaration per stream before its first
// packet.
#pragma once

#include <string>

#include "model/trace_info.hpp"
#include "trace/record_class.hpp"

namespace dpm {

std::string ctf_prologue();

// The machine's clock (once per machine), the stream, and the event classes of its filter.
std::string ctf_clock(MachineId machine, const std::string& machine_name);
std::string ctf_stream(std::uint32_t stream, MachineId machine, const TraceDescription& description,
                       std::uint16_t filter);

}  // namespace dpm
