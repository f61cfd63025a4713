// Where meters send the events for a filter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dpm {

// A meter tries the addresses in this order.
struct FilterAddress {
  std::vector<std::string> hosts;  // the machine's name as the user gave it first, then its addresses
  std::uint16_t port = 0;
  // 64 hexadecimal digits. A filter and the controller have the filter's own secret; what a meter gets is the key of its
  // machine and job (meter_scope.hpp).
  std::string secret;
  std::string filter;               // its name, for people
  bool through_controller = false;  // no host and no port: meters reach it through the daemons and the controller
  std::string id;                   // 32 hexadecimal digits: the filter among all (filter_id())
};

}  // namespace dpm
