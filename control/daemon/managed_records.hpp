// What a daemon writes down about the processes and filters that it manages: a file for each in the folder of sockets.
// Everything else is known to their agents; a record is for the next daemon, when an agent was killed together with its
// daemon. It holds no secret.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "control/protocol/control_message.hpp"

namespace dpm {

class ManagedRecords {
 public:
  // Writes into the first folder; the others may have records of earlier daemons. There is at least one.
  ManagedRecords(const std::vector<SocketFolder>& folders, const std::string& machine);

  // Also replaces the record of an earlier process with this pid.
  void write(const control::ManagedProcess& facts) const;
  void remove(std::uint32_t pid) const;

  struct Left {
    control::ManagedProcess facts;
    bool goes_on = false;  // the process itself, not another one with its pid
  };
  // Removes records of an earlier boot, and those that cannot be read.
  std::vector<Left> read() const;

 private:
  static std::optional<Left> read_in(const SocketFolder& folder, const std::string& name);

  const std::vector<SocketFolder>& folders_;
  std::string prefix_;
};

}  // namespace dpm
