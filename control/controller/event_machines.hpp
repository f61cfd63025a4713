// The machines whose event monitors look into programs for this controller, and what they are told.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "control/controller/machines.hpp"

namespace dpm::control {

class EventMachines {
 public:
  explicit EventMachines(Machines& machines) : machines_(machines) {}

  // In the order in which they were added.
  const std::vector<std::string>& all() const { return all_; }
  bool contains(const std::string& machine) const;
  void add(const std::string& machine) { all_.push_back(machine); }
  void remove(const std::string& machine);

  // A line of ChangeEvents, for send().
  void tell(const std::string& machine, const std::string& change) { untold_[machine] += change + '\n'; }
  // To all at once. Says what was refused, or cannot be reached.
  std::vector<std::string> send();

  using State = std::pair<std::string, Result<EventsState>>;
  std::vector<State> states(const std::vector<std::string>& machines);
  // Their monitors end.
  std::vector<std::string> end(const std::vector<std::string>& machines);

 private:
  std::vector<std::string> complaints_of(const std::vector<Question>& questions);

  Machines& machines_;
  std::vector<std::string> all_;
  std::map<std::string, std::string> untold_;
};

}  // namespace dpm::control
