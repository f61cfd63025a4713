// What bypassed the meter, or may have. It is reported at the end, so that nothing is missing silently.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "os/kernel/bypass_survey.hpp"

namespace dpm {

class BypassAccount {
 public:
  void add(const std::string& process, const OpenBypasses& open);
  // The process ended before it could be looked at, and made no metered call.
  void add_unseen(const std::string& process) { unseen_.insert(process); }

  // One sentence for each kind.
  std::vector<std::string> warnings() const;

 private:
  struct Segment {
    std::string name;
    std::set<std::string> processes;
  };
  std::set<std::string> with_rings_, not_native_, unseen_;
  std::map<std::string, Segment> segments_;
};

}  // namespace dpm
