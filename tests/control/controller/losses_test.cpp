// No dead end: whatever fails, and in whatever state, the user can fetch the logs that there are and remove all the rest.
//
// Each fault alone and each two one after the other, at the host of the process, of the filter, or of both, in each state of
// the job, with its log there or removed. losses.txt shows what the user sees of each single fault; with DPM_BLESS set, what
// is shown now becomes what is expected.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "control/controller/controller.hpp"
#include "tests/control/controller/scratch_folder.hpp"
#include "tests/control/controller/simulated_machines.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm::control::test {
namespace {

class Transcript : public Screen {
 public:
  std::string take() { return std::exchange(text_, {}); }
  void show(std::string_view line) { put(line); }

 private:
  void put(std::string_view text) override { text_ += std::string(text) + "\n"; }

  std::string text_;
};

struct Fault {
  const char* name;
  void (*happen)(SimulatedMachines& machines, const std::string& machine);
};
const std::vector<Fault> kFaults = {
    {"link cut for a while",
     [](SimulatedMachines& machines, const std::string& machine) {
       machines.cut_link(machine);
       machines.heal(machine);
     }},
    {"link cut", [](SimulatedMachines& machines, const std::string& machine) { machines.cut_link(machine); }},
    {"host gone", [](SimulatedMachines& machines, const std::string& machine) { machines.lose_host(machine); }},
    {"host restarted", [](SimulatedMachines& machines, const std::string& machine) { machines.restart_host(machine); }},
    {"daemon killed", [](SimulatedMachines& machines, const std::string& machine) { machines.kill_daemon(machine); }},
    {"daemon and agents killed",
     [](SimulatedMachines& machines, const std::string& machine) { machines.kill_daemon_and_agents(machine); }},
    {"supervisor or collector killed",
     [](SimulatedMachines& machines, const std::string& machine) { machines.kill_agents(machine); }},
    {"program or filter killed",
     [](SimulatedMachines& machines, const std::string& machine) { machines.end_all(machine, "signal 9 (Killed)"); }},
    {"disk full", [](SimulatedMachines& machines, const std::string& machine) { machines.fill_disk(machine); }},
    {"disk full for a while, link cut meanwhile",
     [](SimulatedMachines& machines, const std::string& machine) {
       machines.fill_disk(machine);
       machines.cut_link(machine);
       machines.heal(machine);
       machines.free_disk(machine);
     }},
};

struct Target {
  const char* name;
  std::vector<std::string> machines;
};
const std::vector<Target> kTargets = {
    {"process's host", {"red"}}, {"filter's host", {"blue"}}, {"both hosts", {"red", "blue"}}};

const std::vector<std::string> kStates = {"new", "running", "stopped", "ended"};

// A computation of one process on red, whose filter is on blue.
class Computing {
 public:
  explicit Computing(const std::string& state) {
    begin();
    type("filter f1 blue");
    type("newjob foo");
    type("addprocess foo red A");
    if (state != "new") type("startjob foo");
    if (state == "stopped") type("stopjob foo");
    if (state == "ended") {
      machines_.end_all("red", "normal");
      controller_->show_reports();
    }
    shown_.take();
  }

  Outcome type(const std::string& command) {
    shown_.show("<Control> " + command);
    const Outcome outcome = controller_->perform(command);
    controller_->show_reports();
    return outcome;
  }
  void happen(const Fault& fault, const Target& target) {
    for (const auto& machine : target.machines) fault.happen(machines_, machine);
    controller_->show_reports();
  }
  // Killed, and another one is started.
  void replace_controller() {
    controller_.reset();
    machines_.replace_controller("second");
    begin();
    type("adopt red blue");
  }

  // What a user does who wants the log, and then nothing more of this computation.
  void clean_up() {
    for (const char* command : {"stopjob foo", "removejob foo", "jobs foo", "stopjob foo", "removejob foo", "jobs"})
      if (!computation().jobs().empty()) type(command);
    has_log_ = fetch_log();
    while (!computation().filters().empty() && attempts_left_-- > 0) {
      const std::string name = computation().filters().front().name;
      type("endfilter " + name);
      type("removefilter " + name);
      type("filter");
    }
  }
  bool fetch_log() {
    const auto& filters = computation().filters();
    if (!filters.empty() && type("getlog " + filters.front().name + " log") == Outcome::done) return true;
    return type("getlog f1-100 log blue") == Outcome::done;
  }

  const Computation& computation() const { return controller_->computation(); }
  SimulatedMachines& machines() { return machines_; }
  bool has_log() const { return has_log_; }
  std::string shown() { return shown_.take(); }

 private:
  void begin() { controller_.emplace(machines_, shown_, KnownMachines("known-machines")); }

  ScratchFolder folder_;
  Transcript shown_;
  SimulatedMachines machines_{"first"};
  std::optional<Controller> controller_;
  bool has_log_ = false;
  int attempts_left_ = 6;
};

// Why the user is at a dead end; empty: he is not.
std::string dead_end(Computing& computing) {
  computing.clean_up();
  if (!computing.computation().jobs().empty()) return "the job cannot be removed";
  if (!computing.computation().filters().empty()) return "the filter cannot be removed";
  if (computing.has_log() != (computing.machines().can_be_reached("blue") && computing.machines().has_logs("blue")))
    return "the log is there, and cannot be fetched";
  if (!computing.machines().trespasses().empty()) return computing.machines().trespasses().front();
  // The names are free, and another computation takes the same way.
  for (const char* command : {"filter f1 green", "newjob foo", "addprocess foo green A", "startjob foo", "stopjob foo",
                              "removejob foo", "endfilter f1", "removefilter f1"})
    if (computing.type(command) != Outcome::done) return std::string("after that, the user cannot do: ") + command;
  return "";
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_CASE("losses: after each fault in each state, logs can be fetched and all else removed", "[controller]") {
  std::string table;
  for (const auto& state : kStates) {
    for (const auto& fault : kFaults) {
      for (const auto& target : kTargets) {
        Computing computing(state);
        computing.happen(fault, target);
        const std::string why = dead_end(computing);
        const std::string shown = computing.shown();
        INFO(state << ", " << fault.name << " (" << target.name << "):\n" << shown);
        CHECK(why == "");
        table += "# process " + state + "; " + fault.name + " (" + target.name + ")\n" +
                 shown.substr(0, shown.find("<Control> filter f1 green")) + "\n";
      }
    }
  }
  const auto path = source_root() / "tests/control/controller/losses.txt";
  if (std::getenv("DPM_BLESS") != nullptr) std::ofstream(path) << table;
  INFO("DPM_BLESS=1 on this test accepts what is shown now");
  CHECK(table == text_of(path));
}

TEST_CASE("losses: without a log, all can be removed as well", "[controller]") {
  for (const auto& state : kStates) {
    for (const auto& fault : kFaults) {
      for (const auto& target : kTargets) {
        Computing computing(state);
        computing.machines().remove_logs("blue");
        computing.happen(fault, target);
        const std::string why = dead_end(computing);
        INFO(state << ", " << fault.name << " (" << target.name << "):\n" << computing.shown());
        CHECK(why == "");
      }
    }
  }
}

TEST_CASE(
    "losses: two faults one after the other, or one and another controller, do not end in a state without a way out",
    "[controller]") {
  for (const auto& state : kStates) {
    for (const auto& first : kFaults) {
      for (const auto& at : kTargets) {
        for (std::size_t second = 0; second <= kFaults.size(); ++second) {
          for (const auto& then_at : kTargets) {
            Computing computing(state);
            computing.happen(first, at);
            if (second < kFaults.size()) {
              computing.happen(kFaults[second], then_at);
            } else {
              computing.replace_controller();
            }
            const std::string why = dead_end(computing);
            INFO(state << ", " << first.name << " (" << at.name << "), "
                       << (second < kFaults.size() ? kFaults[second].name : "another controller") << " ("
                       << then_at.name << "):\n"
                       << computing.shown());
            CHECK(why == "");
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace dpm::control::test
