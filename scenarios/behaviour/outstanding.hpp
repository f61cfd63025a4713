// How many messages of this process each other process has not answered yet. Any message from a process answers one of
// those sent to it. A CALL is never outstanding when the next member is picked: its caller waits.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace dpm {

class Outstanding {
 public:
  void sent_to(const std::string& process) { ++counts_[process]; }
  void answered_by(const std::string& process) {
    const auto found = counts_.find(process);
    if (found != counts_.end() && found->second > 0) --found->second;
  }
  std::uint64_t of(const std::string& process) const {
    const auto found = counts_.find(process);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  std::unordered_map<std::string, std::uint64_t> counts_;
};

}  // namespace dpm
