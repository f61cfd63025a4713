// The objects of the matrix: two ends between which data can be moved.
#pragma once

#include <sys/socket.h>

#include <vector>

#include "tests/live/calls/account.hpp"

namespace dpm::cells {

struct Ends {
  int out = -1, in = -1;
  int listener = -1;         // the receiver accepts after the send
  sockaddr_storage to = {};  // where the listener is
  socklen_t to_bytes = 0;
  std::size_t bytes = kBytes;
  bool counts_units = false;
  bool is_queue = false;  // System V: out and in are its number
};

struct Object {
  const char* name;
  int (*make)(Ends&);
};
const std::vector<Object>& objects();

}  // namespace dpm::cells
