// The hot spots of the code: the functions and source lines that send and receive messages.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/statistics/call_sites.hpp"
#include "trace/symbols/code_location.hpp"

namespace dpm::cli {

// One place, summed over all processes that run it.
struct HotPlace {
  std::string program;
  CodeLocation place;
  std::uint64_t sent = 0, sent_bytes = 0;
  std::uint64_t received = 0, received_bytes = 0;

  std::uint64_t messages() const { return sent + received; }
};

// Sorted by traffic, busiest first. Reads the files that the trace names.
std::vector<HotPlace> hot_places(const std::vector<CallSite>& sites, const TraceInfo& info);

std::string places_text(const std::vector<HotPlace>& places, int width);
nlohmann::ordered_json places_json(const std::vector<HotPlace>& places);

}  // namespace dpm::cli
