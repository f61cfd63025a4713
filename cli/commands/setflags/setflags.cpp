// dpm setflags: changes which events of a running program are metered (metering report 4.3).
#include <nlohmann/json.hpp>

#include "backends/linux/custody/keeper/control_socket.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

class SetflagsCommand : public Command {
 public:
  std::string name() const override { return "setflags"; }
  std::string summary() const override { return "Change which events of a metered program are recorded"; }
  std::string example() const override { return "dpm setflags 1234 send,receive"; }

  void describe(Options& options) override {
    options.value("PID", pid_, "A process of a program that is being metered").required().check(process_number);
    options.value("LIST", list_, "Events to add, or with a '-' before to take away, such as send,-accept; or 'all'");
    options.flag("--json", json_, "Print the flags that result as JSON");
    options.surplus(surplus_);  // "-accept" is a list, not an option
  }

  int run(Terminal& terminal) override {
    if (auto done = read_list(); !done) return refuse(terminal, *this, done.error());
    const auto flags = ask_meter(pid_, "flags " + list_);
    if (!flags) return refuse(terminal, *this, flags.error());
    if (json_) {
      print_json({{"pid", pid_}, {"flags", *flags}}, terminal);
    } else {
      terminal.out << printable(*flags) << '\n';
    }
    return kDone;
  }

 private:
  Result<void> read_list() {
    for (const auto& word : surplus_) {
      if (word.starts_with("--")) return Error{"no option '" + word + "'"};
      if (!list_.empty()) return Error{"'" + word + "' is one argument too many: separate events by commas"};
      list_ = word;
    }
    if (list_.empty()) return Error{"which flags? Such as 'dpm setflags 1234 send,receive'"};
    return {};
  }

  std::uint32_t pid_ = 0;
  std::vector<std::string> surplus_;
  std::string list_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_setflags() { return std::make_unique<SetflagsCommand>(); }

}  // namespace dpm::cli
