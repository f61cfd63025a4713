// Machines in memory that behave as daemons do, and can fail: links are cut, hosts go and are started again, daemons, agents
// and filters are killed. FakeMachines answer what a test has set; these know their processes.
//
// Numbers of processes begin again when a host is started again, so that a number may belong to another process then.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "control/controller/machines.hpp"

namespace dpm::control::test {

class SimulatedMachines : public Machines {
 public:
  explicit SimulatedMachines(std::string controller) : controller_(std::move(controller)) {}

  std::vector<Answer> ask(std::vector<Question> questions) override;
  void ask_meanwhile(Question, std::chrono::milliseconds, std::function<void(Answer)>) override {}
  void notice(const std::string& machine, std::string text) override {
    reports_.push_back({machine, Notice{std::move(text)}});
  }
  std::vector<std::string> known_as(std::vector<std::string> machines) override { return machines; }
  Result<std::string> own_name(const std::string& machine) const override { return machine; }
  void on_overflow(OutputHandler) override {}
  bool is_here(const std::string& machine) const override { return machine == kLocalMachine; }
  bool are_all_here() const override { return false; }
  void serve_tunnels(const FilterAddress&, const std::string&, std::uint32_t) override {}
  std::vector<MachineReport> take_reports() override;
  Waited wait(std::chrono::milliseconds) override { return Waited::timed_out; }
  bool is_interrupted() override { return false; }
  bool take_interruption() override { return false; }

  // ---- what happens
  void cut_link(const std::string& machine);   // until heal()
  void lose_host(const std::string& machine);  // for good
  void restart_host(const std::string& machine);
  void kill_daemon(const std::string& machine);
  void kill_daemon_and_agents(const std::string& machine);
  // Of the processes and filters there.
  void kill_agents(const std::string& machine);
  void end_all(const std::string& machine, const std::string& how);
  // Filters there report it.
  void fill_disk(const std::string& machine);
  void free_disk(const std::string& machine);
  void heal(const std::string& machine) { machines_[machine].is_cut = false; }
  void remove_logs(const std::string& machine) { machines_[machine].logs.clear(); }
  // The next controller has another name, and knows nothing.
  void replace_controller(const std::string& name);

  bool can_be_reached(const std::string& machine) { return !machines_[machine].is_cut && !machines_[machine].is_gone; }
  bool has_logs(const std::string& machine) { return !machines_[machine].logs.empty(); }
  // Requests about processes of another controller, although the controller knew that the machine has no others.
  const std::vector<std::string>& trespasses() const { return trespasses_; }

 private:
  struct Machine {
    std::map<std::uint32_t, ManagedProcess> managed;
    std::set<std::uint32_t> without_agent;
    std::set<std::string> logs;
    std::uint32_t last_pid = 100;
    bool is_known = false;  // the controller has taken the report of what is there
    bool is_connected = false, is_cut = false, is_gone = false, is_restarted = false;
  };
  bool connect(const std::string& name, Machine& machine);
  void change_delivery(const std::string& machine, const Delivery& delivery);
  void disconnect(const std::string& name, const std::string& why);
  std::vector<ManagedProcess> described(const Machine& machine) const;
  ReplyBody reply(Machine& machine, const RequestBody& body);
  ReplyBody change(Machine& machine, std::uint32_t pid, const RequestBody& body);

  std::string controller_;
  std::map<std::string, Machine> machines_;
  std::vector<MachineReport> reports_;
  std::vector<std::string> trespasses_;
};

}  // namespace dpm::control::test
