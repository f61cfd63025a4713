// Names of a trace as other tools need them: valid UTF-8 without control characters, and one name for each process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/trace_info.hpp"

namespace dpm {

// Control characters become spaces, bytes that are not UTF-8 become U+FFFD.
std::string clean_text(std::string_view text);

// The same with quotes around it, as a string of JSON.
std::string json_text(std::string_view text);

// By process: its clean name, followed by "#ID" where several processes have it.
std::vector<std::string> process_labels(const TraceInfo& info);

// The clean name of a channel, or "to RECEIVER".
std::string channel_label(const TraceInfo& info, ChannelId channel);

}  // namespace dpm
