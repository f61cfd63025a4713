// dpm stop: ends the metering of a program, as control-C ends dpm acquire. The trace is completed; the program goes on.
#include <poll.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "backends/linux/custody/keeper/control_socket.hpp"
#include "backends/linux/custody/keeper/program_lookup.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "os/process_handle.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

void await_end(const UniqueFd& process) {
  pollfd item{process.get(), POLLIN, 0};
  while (process && ::poll(&item, 1, -1) < 0) {
  }
}

class StopCommand : public Command {
 public:
  std::string name() const override { return "stop"; }
  std::string summary() const override { return "End the metering of a program, which goes on"; }
  std::string example() const override { return "dpm stop 1234"; }

  void describe(Options& options) override {
    options.value("PID", pid_, "A process of a program that is being metered, or the program's meter (dpm list)")
        .required()
        .check(process_number);
    options.flag("--json", json_, "Print the result as JSON");
  }

  int run(Terminal& terminal) override {
    const auto program = look_up_program(pid_);
    if (!program) return refuse(terminal, *this, program.error());
    const auto line = ask_meter(*program, "status");
    if (!line) return refuse(terminal, *this, line.error());
    const auto status = status_from_line(*line);
    if (!status) return refuse(terminal, *this, status.error());
    const UniqueFd meter = open_process(program->meter_pid);
    if (const auto asked = ask_meter(*program, "stop"); !asked) return refuse(terminal, *this, asked.error());
    {
      ProgressLine progress(terminal);
      progress.show("waiting for the meter to write its results");
      await_end(meter);
    }
    return report(*program, *status, terminal);
  }

 private:
  int report(const KeptProgram& program, const MeterStatus& status, Terminal& terminal) const {
    std::error_code ignored;
    const bool is_results_file = std::filesystem::is_regular_file(status.output, ignored);  // of --summary
    const bool is_written =
        status.output.empty() || is_results_file || std::filesystem::exists(status.output + "/report.html", ignored);
    if (json_) {
      print_json({{"pid", program.pid},
                  {"command", program.command},
                  {"meter_pid", program.meter_pid},
                  {"output", status.output},
                  {"written", is_written}},
                 terminal);
    } else {
      terminal.out << "metering of " << printable(program.command) << " (" << program.pid << ") has ended";
      if (is_written && !status.output.empty())
        terminal.out << "; wrote " << printable(status.output)
                     << (is_results_file ? ": results, without a trace" : ": trace, results.json, report.html");
      terminal.out << '\n';
    }
    if (is_written) return kDone;
    terminal.err << "dpm stop: there is no report in " << printable(status.output)
                 << "; the reason is on the meter's standard error\n";
    return kFellShort;
  }

  std::uint32_t pid_ = 0;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_stop() { return std::make_unique<StopCommand>(); }

}  // namespace dpm::cli
