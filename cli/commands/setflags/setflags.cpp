// dpm setflags: changes which events of a running program are metered, and of one of its processes also where they go (metering
// report 4.1 and 4.3).
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "backends/linux/custody/keeper/control_socket.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "os/own_program.hpp"
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
    options.flag("--only", only_,
                 "Of this process and those that it starts from now on, not of the whole program; LIST then names all "
                 "of their flags");
    options.value("--to", filter_,
                  "Where their events go from now on: a command that reads meter messages, such as 'dpm filter -o "
                  "OTHER'; 'none'; or 'trace', the meter's own trace again. Implies --only");
    options.flag("--json", json_, "Print the flags that result as JSON");
    options.surplus(surplus_);  // "-accept" is a list, not an option
  }

  int run(Terminal& terminal) override {
    if (auto done = read_list(); !done) return refuse(terminal, *this, done.error());
    if (only_ || !filter_.empty()) return set_meter(terminal);
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
  // The filter is a process of its own, which ends when the meter closes the connection.
  int set_meter(Terminal& terminal) {
    const auto flags = apply_flags(MeterFlags(), list_);
    if (!flags) return refuse(terminal, *this, flags.error());
    const bool is_command = !filter_.empty() && filter_ != "none" && filter_ != "trace";
    UniqueFd of_meter, of_filter;
    if (is_command) {
      int ends[2];
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return refuse(terminal, *this, Error::from_errno("make a meter connection"));
      of_meter.reset(ends[0]);
      of_filter.reset(ends[1]);
    }
    const std::string wanted = list_.empty() ? "keep" : to_string(*flags);
    const std::string connection = is_command ? "given" : filter_.empty() ? "keep" : filter_;
    const auto done = ask_meter(pid_, fmt::format("setmeter {} {} {}", pid_, wanted, connection), of_meter.get());
    if (!done) return refuse(terminal, *this, done.error());
    if (is_command)
      if (auto started = start_in_session({"/bin/sh", "-c", filter_}, {.input = of_filter.get()}); !started)
        return refuse(terminal, *this, started.error());
    if (json_) {
      nlohmann::ordered_json changed = {{"pid", pid_}};
      if (!list_.empty()) changed["flags"] = wanted;
      if (!filter_.empty()) changed["to"] = filter_;
      print_json(changed, terminal);
    } else if (!list_.empty()) {
      terminal.out << wanted << '\n';
    }
    return kDone;
  }

  Result<void> read_list() {
    for (const auto& word : surplus_) {
      if (word.starts_with("--")) return Error{"no option '" + word + "'"};
      if (!list_.empty()) return Error{"'" + word + "' is one argument too many: separate events by commas"};
      list_ = word;
    }
    if (list_.empty() && filter_.empty()) return Error{"which flags? Such as 'dpm setflags 1234 send,receive'"};
    return {};
  }

  std::uint32_t pid_ = 0;
  std::vector<std::string> surplus_;
  std::string list_, filter_;
  bool only_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_setflags() { return std::make_unique<SetflagsCommand>(); }

}  // namespace dpm::cli
