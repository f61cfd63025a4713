// A TCP connection of this process with itself.
#pragma once

#include "os/unique_fd.hpp"

namespace dpm {

struct Connection {
  UniqueFd client, server;
};

Connection connect_on_loopback();

}  // namespace dpm
