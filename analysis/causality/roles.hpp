// Which processes are the server and which are its customers (thesis 5.2.4).
//
//   server     a process of the computation: it has events in the history
//   requestor  sends requests to the server; its messages begin causality strings
//   system     answers requests of the server (a disk, a kernel, another server); messages to and from it are ignored
//
// An outside process is a system process if the computation sent it a message that no earlier message from it can have
// caused: the server spoke first. Otherwise it is a requestor. "Earlier" is decided in the graph, so a reply that
// another process of the server sends does not make a customer a system process, and no two clocks are compared.
// Processes on a device (MachineInfo::accepts) are system processes: one may announce itself before it is asked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "model/result.hpp"

namespace dpm {

enum class CausalityRole : std::uint8_t { absent, server, requestor, system };

// If that leaves no requestor, the peers that were spoken to first and sent something are the requestors: a server that
// greets its clients speaks first.
//
// Roles that the caller knows better, by name. Names are patterns: "*" stands for any characters, "?" for one.
struct CausalityRoles {
  std::vector<std::string> requestors;
  std::vector<std::string> systems;
};

// By process number. Refuses names the trace does not have and names given two roles.
Result<std::vector<CausalityRole>> classify(const History& history, const CausalityRoles& given = {});

}  // namespace dpm
