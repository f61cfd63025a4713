// From where a connection comes, as far as one party usually has it: an IPv4 address, or the first 64 bits of an IPv6
// address. Empty: not from a network.
#pragma once

#include <string>

namespace dpm {

std::string peer_network(int socket);

}  // namespace dpm
