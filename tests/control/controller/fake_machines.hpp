// Machines in memory: a test sets their answers and reports beforehand, and can show what they were asked.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "control/controller/machines.hpp"

namespace dpm::control::test {

class FakeMachines : public Machines {
 public:
  std::vector<Answer> ask(std::vector<Question> questions) override;
  // Without a delay.
  void ask_meanwhile(Question question, std::chrono::milliseconds delay, std::function<void(Answer)> take) override;
  void notice(const std::string& machine, std::string text) override { report({machine, Notice{std::move(text)}}); }
  std::vector<std::string> known_as(std::vector<std::string> machines) override;
  Result<std::string> own_name(const std::string& machine) const override {
    const auto known = own_names_.find(machine);
    return known == own_names_.end() ? machine : known->second;
  }
  bool is_here(const std::string& machine) const override { return machine == kLocalMachine; }
  bool are_all_here() const override { return false; }
  void serve_tunnels(const FilterAddress&, const std::string& machine, std::uint32_t pid) override {
    asked_.push_back(machine + " serve " + std::to_string(pid));
  }
  // Questions that were asked meanwhile are answered now.
  std::vector<MachineReport> take_reports() override {
    answer_meanwhile();
    return std::exchange(reports_, {});
  }
  // Delivers the reports that were set for later. With none left, the wait is interrupted instead of lasting forever.
  Waited wait(std::chrono::milliseconds at_most) override;
  void on_overflow(OutputHandler handler) override { on_overflow_ = std::move(handler); }
  // Reports while a question is pending.
  void overflow(std::vector<MachineReport> output) { on_overflow_(std::move(output)); }
  bool is_interrupted() override { return is_interrupted_; }
  bool take_interruption() override { return std::exchange(is_interrupted_, false); }

  void next_pid(const std::string& machine, std::uint32_t pid) { pids_[machine].push_back(pid); }
  // Of its filters; by default 10.0.0.1.
  void have_address(const std::string& machine, const std::string& address) { addresses_[machine] = address; }
  // The name that the machine has for itself; by default the user's.
  void have_own_name(const std::string& machine, const Result<std::string>& name) {
    own_names_.insert_or_assign(machine, name);
  }
  void next_name(const std::string& name) { name_ = name; }
  // The next question of this kind ("StartProcess"; empty: of any) to the machine.
  void refuse(const std::string& machine, const std::string& kind, const std::string& why) {
    refusals_.push_back({machine, kind, why});
  }
  void warn(const std::string& warning) { warning_ = warning; }
  void meter_with(const std::string& source) { source_ = source; }
  void cut_off(const std::string& machine, const std::string& why) { cut_off_[machine] = why; }
  void reach(const std::string& machine) { cut_off_.erase(machine); }
  void report(MachineReport report) { reports_.push_back(std::move(report)); }
  void report_later(MachineReport report) { later_.push_back(std::move(report)); }
  void name(const std::string& first, const std::string& second) { first_names_[second] = first; }
  void interrupt() { is_interrupted_ = true; }
  void leave_managed(const std::string& machine, ManagedProcess managed) {
    managed_[machine].push_back(std::move(managed));
  }
  const std::vector<ManagedProcess>& managed(const std::string& machine) { return managed_[machine]; }
  void have_file(const std::string& machine, const std::string& path, const std::string& bytes) {
    files_[machine][path] = bytes;
  }
  void have_log(const std::string& file, const std::string& bytes) { log_.emplace_back(file, bytes); }
  // The log of its files in a folder, which may change.
  void have_log_folder(const std::string& folder) { log_folder_ = folder; }
  void keep(const std::string& machine, KeptFile file) { kept_[machine].push_back(std::move(file)); }
  // How the next filter ends that is told to.
  void end_filter(const std::string& how) { filter_ends_ = how; }
  // It is listed once more, and gone.
  void lose_log(const std::string& file) { vanishing_ = file; }
  const std::map<std::string, std::string>& files(const std::string& machine) { return files_[machine]; }

  // "red StartProcess 2120", since the last call.
  std::vector<std::string> take_asked() { return std::exchange(asked_, {}); }

 private:
  struct Refusal {
    std::string machine, kind, why;
  };
  Answer answer(const Question& question);
  void answer_meanwhile();
  void read_log_folder();
  ReplyBody reply(const std::string& machine, const RequestBody& body);
  std::uint32_t pid_on(const std::string& machine);

  std::map<std::string, std::deque<std::uint32_t>> pids_;
  std::uint32_t last_pid_ = 2000;
  std::map<std::string, std::string> addresses_;
  std::map<std::string, Result<std::string>> own_names_;
  std::string name_, warning_, source_;
  std::vector<Refusal> refusals_;
  std::map<std::string, std::string> cut_off_;
  std::vector<MachineReport> reports_;
  std::deque<MachineReport> later_;
  bool is_interrupted_ = false;
  std::map<std::string, std::vector<ManagedProcess>> managed_;
  std::map<std::string, std::map<std::string, std::string>> files_;  // machine, path, bytes
  std::vector<std::pair<std::string, std::string>> log_;
  std::string vanishing_, log_folder_;
  std::vector<std::pair<Question, std::function<void(Answer)>>> meanwhile_;
  std::map<std::string, std::vector<KeptFile>> kept_;
  std::string filter_ends_ = "normal";
  std::map<std::string, std::string> first_names_;
  std::vector<std::string> asked_;
  OutputHandler on_overflow_;
};

}  // namespace dpm::control::test
