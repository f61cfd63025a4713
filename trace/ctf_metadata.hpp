// The text that lets other tools read stream files: CTF 1.8's TSDL, as babeltrace2 and Trace Compass read it. It
// grows by appending: the prologue when the trace is created, then one declaration per stream before its first
// packet. When the recording has ended, the same text is written again with the names (ctf_names.hpp).
#pragma once

#include <string>

#include "model/trace_info.hpp"
#include "trace/ctf_names.hpp"
#include "trace/record_class.hpp"

namespace dpm {

std::string ctf_prologue();

// The machine's clock (once per machine), the stream, and the event classes of its filter. `names` are for layouts that are
// event_layouts().
std::string ctf_clock(MachineId machine, const std::string& machine_name);
std::string ctf_stream(std::uint32_t stream, MachineId machine, const TraceDescription& description,
                       std::uint16_t filter, const CtfNames& names = {});

// How many fields of one stream can have names.
std::size_t ctf_fields_with_names(const TraceDescription& description, std::uint16_t filter);

}  // namespace dpm
