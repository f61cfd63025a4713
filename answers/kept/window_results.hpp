// P, messages and bytes of a kept run over time, by windows of equal length.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace dpm::cli {

struct RunWindow {
  double from_s = 0, to_s = 0;  // since the beginning of the run
  double P = 0;                 // CPU time of the computation, by time
  double messages = 0, bytes = 0;
};

// At most `most` windows, from the data of the page (results_file.hpp). None if it has no event.
std::vector<RunWindow> windows_of(const nlohmann::ordered_json& page, std::size_t most);

std::string windows_text(const std::vector<RunWindow>& windows, int width);
nlohmann::ordered_json windows_json(const std::vector<RunWindow>& windows);

}  // namespace dpm::cli
