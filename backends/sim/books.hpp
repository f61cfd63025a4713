// What a simulation counts while it runs, and the truth that follows from it when it ends.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/population.hpp"
#include "backends/sim/sim_truth.hpp"

namespace dpm::sim {

inline constexpr const char* kEveryProcessEnded = "every process ended";

struct Ending {
  std::string by;
  bool deadlocked = false;
  bool at_limit = false;
};

class Books {
 public:
  void sent() { ++messages_sent_; }
  std::uint64_t messages_sent() const { return messages_sent_; }
  void delivered() { ++messages_delivered_; }
  // `how` completes "messages were dropped in transit".
  void dropped(const std::string& how) {
    ++messages_dropped_;
    ++drops_[how];
  }
  void printed(const std::string& process, std::string_view text) { lines_.push_back({process, std::string(text)}); }

  // Brings the queues of `population` up to date.
  SimTruth truth(const Ending& ending, Population& population, TrueTime now) const;
  std::vector<std::string> warnings() const;

 private:
  std::uint64_t messages_sent_ = 0;
  std::uint64_t messages_delivered_ = 0;
  std::uint64_t messages_dropped_ = 0;
  std::map<std::string, std::uint64_t> drops_;
  std::vector<PrintedLine> lines_;
};

}  // namespace dpm::sim
