// source: performs the lines of a script, which may read other scripts.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "control/controller/console.hpp"
#include "control/controller/machines.hpp"
#include "control/controller/reports.hpp"

namespace dpm::control {

class Scripts {
 public:
  // One line, and its place ("script:3").
  using PerformLine = std::function<Outcome(const std::string& line, const std::string& where)>;

  Scripts(Machines& machines, Console& console, Reports& reports, PerformLine perform_line)
      : machines_(machines), console_(console), reports_(reports), perform_line_(std::move(perform_line)) {}

  Outcome perform(const std::string& file);

 private:
  static constexpr std::size_t kDepthMax = 16;

  Machines& machines_;
  Console& console_;
  Reports& reports_;
  PerformLine perform_line_;
  std::size_t depth_ = 0;
  bool is_abandoned_ = false;  // all scripts end without performing their rest
};

}  // namespace dpm::control
