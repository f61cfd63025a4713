// The options of the command `filter`: how events reach the filter.
//
//     --port N, --port N-M      the filter's collector listens on this port, or on the first free one of these
//     --through controller      events travel through the daemons and the controller; no port is opened
#pragma once

#include <cstdint>

#include "control/controller/console.hpp"

namespace dpm::control {

struct FilterOptions {
  std::uint16_t port_first = 0, port_last = 0;  // 0: any
  bool through_controller = false;
};

// Takes the options out of the words, wherever they stand.
Result<FilterOptions> take_filter_options(Words& words);

}  // namespace dpm::control
