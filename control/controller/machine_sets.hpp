// The machines that one word of a command names: one machine, a range or a list (machine_ranges.hpp), the machines of a
// file, or all.
//
//     @nodes     the machines of the file "nodes": words of machine_ranges.hpp, comments begin with '#'
//     @all       the machines of the controller's own hosts file, or else those that processes were added on
#pragma once

#include <string>
#include <vector>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/machines.hpp"
#include "model/result.hpp"

namespace dpm::control {

inline constexpr std::string_view kAllMachines = "@all";

// In the same order.
std::vector<std::string> without_repetitions(const std::vector<std::string>& machines);

class MachineSets {
 public:
  // `hosts_file` may be empty.
  MachineSets(Machines& machines, Console& console, const Computation& computation, std::string hosts_file)
      : machines_(machines), console_(console), computation_(computation), hosts_file_(std::move(hosts_file)) {}

  // At least one. A machine has the first name that was used for it; this is told where another one was typed.
  Result<std::vector<std::string>> named(const std::string& word) const;
  // Those of several words, each once.
  Result<std::vector<std::string>> named_once(const std::vector<std::string>& words) const;
  // For a command that is about one machine.
  Result<std::string> one_named(const std::string& word) const;

 private:
  Result<std::vector<std::string>> expand(const std::string& word) const;
  Result<std::vector<std::string>> all() const;

  Machines& machines_;
  Console& console_;
  const Computation& computation_;
  const std::string hosts_file_;
};

}  // namespace dpm::control
