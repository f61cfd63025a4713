// What a descriptor of another process is, without touching it: its link, the protocol that its socket has as an extended
// attribute, the type of a file as far as the kernel knows it without asking a server.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "sampling/states/descriptor_kind.hpp"
#include "sampling/states/evidence.hpp"

namespace dpm::sampling {

class DescriptorLookup {
 public:
  // The descriptor that the call of `thread` waits at, and what else the call needs (RestOfCall), into the evidence.
  void complete(std::uint32_t thread, Evidence& evidence);

 private:
  DescriptorKind kind_of(std::uint32_t thread, int descriptor);
  DescriptorKind kind_of_path(const std::string& path);

  std::unordered_map<std::string, DescriptorKind>
      sockets_;  // by link: the number of a socket is its own while it exists
};

}  // namespace dpm::sampling
