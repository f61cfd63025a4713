// Events that wait on other machines and have not reached the filter whose log this is, as the controller knew when it
// fetched the log. It leaves them as undelivered.json beside the filter's files, because the filter cannot count what it
// never got. A reader counts them as lost for this trace, and says where they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ledger.hpp"
#include "model/result.hpp"

namespace dpm {

inline constexpr const char* kUndeliveredName = "undelivered.json";

struct Undelivered {
  std::string machine, job, name;  // of the process
  std::uint32_t pid = 0;
  std::string problem;        // why its events do not reach the filter
  std::uint64_t waiting = 0;  // on the machine
  std::uint64_t lost = 0;     // and what is kept nowhere
  std::string file;           // on the machine, if they will not be sent any more
};

std::string to_json(const std::vector<Undelivered>& undelivered);
Result<std::vector<Undelivered>> undelivered_from_json(const std::string& path, const std::string& text);

// Of the trace in this directory; none if nothing is known to be missing.
Result<std::vector<Undelivered>> read_undelivered(const std::string& directory);

std::vector<Loss> losses_of(const std::vector<Undelivered>& undelivered);

}  // namespace dpm
