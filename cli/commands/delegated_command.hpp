// A command of dpm-sim as dpm lists it: name and summary. main() starts dpm-sim before this command could run.
#pragma once

#include "cli/command.hpp"

namespace dpm::cli {

class DelegatedCommand : public Command {
 public:
  DelegatedCommand(std::string name, std::string summary) : name_(std::move(name)), summary_(std::move(summary)) {}

  std::string name() const override { return name_; }
  std::string summary() const override { return summary_; }
  std::string example() const override { return ""; }
  void describe(Options&) override {}
  int run(Terminal& terminal) override;

 private:
  std::string name_, summary_;
};

}  // namespace dpm::cli
