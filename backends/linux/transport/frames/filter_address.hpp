// Where meters send the events for a filter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dpm {

// A meter tries the addresses in this order, with the secret of this filter alone.
struct FilterAddress {
  std::vector<std::string> hosts;  // the machine's name as the user gave it first, then its addresses
  std::uint16_t port = 0;
  std::string secret;               // 64 hexadecimal digits
  std::string filter;               // its name, for people
  bool through_controller = false;  // no host and no port: meters reach it through the daemons and the controller
};

}  // namespace dpm
