#include "cli/commands.hpp"
#include "model/check.hpp"

namespace dpm::cli {
namespace {

// Stands in the help of dpm for a command of dpm-sim; main() has handed over before it could be run.
class DelegatedCommand : public Command {
 public:
  DelegatedCommand(std::string name, std::string summary) : name_(std::move(name)), summary_(std::move(summary)) {}

  std::string name() const override { return name_; }
  std::string summary() const override { return summary_; }
  std::string example() const override { return ""; }
  void describe(CLI::App&) override {}
  int run(Terminal&) override {
    DPM_CHECK(false);
    return kWrongInput;
  }

 private:
  std::string name_, summary_;
};

}  // namespace

std::vector<std::string> simulator_commands_by_name() { return {"run", "twin"}; }

Commands trace_commands() {
  Commands commands;
  commands.push_back(std::make_unique<DelegatedCommand>("run", "Simulate a scenario: trace, tables and report.html"));
  commands.push_back(make_statistics());
  commands.push_back(make_queues());
  commands.push_back(make_parallelism());
  commands.push_back(make_causality());
  commands.push_back(make_predict());
  commands.push_back(
      std::make_unique<DelegatedCommand>("twin", "A scenario that does what a trace shows, to change and to run"));
  commands.push_back(make_report());
  commands.push_back(make_filter());
  commands.push_back(make_merge());
  commands.push_back(make_clocks());
  commands.push_back(make_events());
  commands.push_back(make_doctor());
  commands.push_back(make_calibrate());
  commands.push_back(make_meter());
  commands.push_back(make_acquire());
  commands.push_back(make_setflags());
  commands.push_back(make_list());
  commands.push_back(make_stop());
  commands.push_back(make_meterd());
  commands.push_back(make_control());
  commands.push_back(make_validate());
  return commands;
}

}  // namespace dpm::cli
