// dpm list: which programs of this machine are metered by this account, or, for root, by any account.
#include <pwd.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <sstream>

#include "backends/linux/custody/keeper/control_socket.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

struct Metering {
  KeptProgram program;
  std::optional<MeterStatus> status;  // empty if there is no meter, or it does not answer
  std::vector<std::uint32_t> processes;
  std::string problem;
};

std::string account_name(uid_t user) {
  const passwd* entry = ::getpwuid(user);
  return entry != nullptr ? entry->pw_name : std::to_string(user);
}

std::string date_text(std::int64_t seconds, const char* form) {
  const std::time_t time = seconds;
  std::tm parts = {};
  char text[64] = "";
  if (::localtime_r(&time, &parts) != nullptr) std::strftime(text, sizeof text, form, &parts);
  return text;
}

std::string since_text(std::int64_t seconds) {
  const bool today = date_text(seconds, "%F") == date_text(std::time(nullptr), "%F");
  return date_text(seconds, today ? "%T" : "%F %R");
}

Metering look_at(KeptProgram program) {
  Metering metering{.program = std::move(program), .status = {}, .processes = {}, .problem = ""};
  if (metering.program.meter_pid == 0) {
    metering.problem = "not metered now";
    return metering;
  }
  const auto line = ask_meter(metering.program, "status");
  const auto status = line ? status_from_line(*line) : Result<MeterStatus>(line.error());
  if (!status) {
    metering.problem = "its meter does not answer";
    return metering;
  }
  metering.status = *status;
  if (const auto processes = ask_meter(metering.program, "processes")) {
    std::istringstream numbers(*processes);
    for (std::uint32_t pid = 0; numbers >> pid;) metering.processes.push_back(pid);
  }
  return metering;
}

std::string processes_text(const std::vector<std::uint32_t>& processes) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(processes.size(), kShown); ++i)
    text += (text.empty() ? "" : " ") + std::to_string(processes[i]);
  if (processes.size() > kShown) text += " +" + std::to_string(processes.size() - kShown);
  return text;
}

std::string table_of(const std::vector<Metering>& meterings, int width) {
  TextTable table({">pid", "program", "processes", ">meter", "account", "since", ">events", ">lost", "output"});
  for (const auto& [program, status, processes, problem] : meterings) {
    table.add_row({std::to_string(program.pid), printable(program.command), processes_text(processes),
                   program.meter_pid == 0 ? "" : std::to_string(program.meter_pid),
                   printable(account_name(program.user)), status ? since_text(status->since_s) : "",
                   status ? std::to_string(status->events) : "", status ? std::to_string(status->lost) : "",
                   !problem.empty() ? "(" + problem + ")" : printable(status->output)});
  }
  return table.to_text(width);
}

nlohmann::ordered_json json_of(const Metering& metering) {
  const auto& [program, status, processes, problem] = metering;
  nlohmann::ordered_json json = {{"pid", program.pid},
                                 {"command", program.command},
                                 {"meter_pid", program.meter_pid},
                                 {"keeper_pid", program.keeper_pid},
                                 {"account", account_name(program.user)},
                                 {"processes", processes}};
  if (status) {
    json["since"] = date_text(status->since_s, "%FT%T%z");
    json["events"] = status->events;
    json["lost"] = status->lost;
    json["flags"] = to_string(status->flags);
    json["output"] = status->output;
  }
  if (!problem.empty()) json["problem"] = problem;
  return json;
}

class ListCommand : public Command {
 public:
  std::string name() const override { return "list"; }
  std::string summary() const override { return "List the programs that are metered on this machine"; }
  std::string example() const override { return "dpm list"; }

  void describe(Options& options) override { options.flag("--json", json_, "Print the list as JSON"); }

  int run(Terminal& terminal) override {
    std::vector<Metering> meterings;
    for (auto& program : all_kept_programs()) meterings.push_back(look_at(std::move(program)));
    if (json_) {
      nlohmann::ordered_json programs = nlohmann::ordered_json::array();
      for (const auto& metering : meterings) programs.push_back(json_of(metering));
      print_json({{"programs", std::move(programs)}}, terminal);
    } else if (meterings.empty()) {
      terminal.err << "no program is metered here by this account\n";
    } else {
      terminal.out << table_of(meterings, terminal.width);
    }
    return kDone;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_list() { return std::make_unique<ListCommand>(); }

}  // namespace dpm::cli
