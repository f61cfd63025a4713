// How a filter reads its standard input: as it comes, with pauses in which what has come is written to disk. A log that is
// fetched while the filter runs then holds all events that were delivered.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "model/result.hpp"

namespace dpm {

struct FilterSteps {
  // The next bytes, cut anywhere. False: there is nothing to write yet.
  std::function<bool(std::span<const std::byte>)> feed;
  // Writes what was fed: about once a second, and a tenth of a second after the last bytes. False: it could not write, and is
  // called again after a second.
  std::function<bool()> checkpoint;
};

// Until the end of the input. An error means that it cannot be read.
Result<void> read_filter_input(int input, const FilterSteps& steps);

}  // namespace dpm
