// dpm control: the controller of a computation across machines (metering report 4), on a terminal, in a pipe or with a
// script.
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <map>
#include <optional>

#include "answers/prediction/placement_file.hpp"
#include "cli/command.hpp"
#include "cli/control/line_editor.hpp"
#include "cli/control/piped_lines.hpp"
#include "cli/control/progress_line.hpp"
#include "cli/control/ps_output.hpp"
#include "cli/serving/owned_page.hpp"
#include "control/client/connections.hpp"
#include "control/controller/command_words.hpp"
#include "control/controller/controller.hpp"
#include "control/controller/copy_folder.hpp"
#include "model/counted.hpp"
#include "os/own_program.hpp"
#include "os/user_paths.hpp"

namespace dpm::cli {
namespace {

using control::Connections;
using control::Controller;

constexpr std::string_view kPrompt = "<Control> ";

// Writes output at once, so that the reader of a pipe sees it when it happens.
class StreamScreen : public control::Screen {
 public:
  explicit StreamScreen(std::ostream& out) : out_(out) {}
  bool is_file() const override {
    struct stat status {};
    return fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode);
  }

 private:
  void put(std::string_view text) override {
    progress_.show("");
    out_ << text << std::endl;
  }
  void put_progress(std::string_view text) override { progress_.show(text); }

  std::ostream& out_;
  ProgressLine progress_;
};

// SIGINT as a descriptor. Made before the first thread starts, so that SIGINT interrupts no thread.
UniqueFd interruptions() {
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupts, nullptr);
  return UniqueFd(signalfd(-1, &interrupts, SFD_CLOEXEC | SFD_NONBLOCK));
}

// Unique among all controllers, on all machines and at all times.
std::string own_name() {
  std::string host(256, '\0');
  gethostname(host.data(), host.size() - 1);
  host.resize(host.find('\0'));
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return host + ":" + std::to_string(getpid()) + ":" + std::to_string(now);
}

class WatchPage : public control::LivePage {
 public:
  explicit WatchPage(std::unique_ptr<OwnedPage> page) : page_(std::move(page)) {}
  std::string address() const override { return page_->address(); }
  bool has_ended() override { return page_->has_ended(); }

 private:
  std::unique_ptr<OwnedPage> page_;
};

Result<std::unique_ptr<control::LivePage>> show_page(const std::string& directory, const std::string& title) {
  auto page = OwnedPage::start(directory, title);
  if (!page) return page.error();
  return std::unique_ptr<control::LivePage>(std::make_unique<WatchPage>(*std::move(page)));
}

control::WatchSettings watching() { return {.show = show_page, .scratch = {}}; }

control::EventSettings events(std::optional<control::EventTerminal> terminal) {
  control::EventSettings settings;
  settings.run_ps = ps_output;
  settings.terminal = std::move(terminal);
  return settings;
}

Result<std::map<std::string, std::string>> read_placement(const std::string& path) {
  auto file = load_real_placement(path);
  if (!file) return file.error();
  return std::move(file->placement.machine_of_process);
}

class ControlCommand : public Command {
 public:
  std::string name() const override { return "control"; }
  std::string summary() const override { return "Meter a computation across machines: jobs, processes, filters"; }
  std::string example() const override {
    return "dpm control\n"
           "  <Control> filter f1 blue\n"
           "  <Control> newjob foo\n"
           "  <Control> addprocess foo red A\n"
           "  <Control> setflags foo send receive\n"
           "  <Control> startjob foo\n"
           "  <Control> help";
  }

  void describe(Options& options) override {
    options.value("SCRIPT", script_,
                  "A file of commands to perform (default: commands are typed, or read from a pipe)");
    options.value("--launcher", launcher_,
                  "How machines are reached: ssh (the words of $DPM_SSH, if set), srun inside a Slurm allocation, "
                  "local, where every name is this machine, or a command such as 'docker exec -i {machine}' "
                  "(default: ssh)");
    options.value("--terminal", terminal_path_,
                  "Where events inside programs are shown instead of here: another terminal by its path, as 'tty' "
                  "prints it there, a pipe that is read, or a file");
    options.value("--help-texts", help_file_,
                  "A file of your own texts for 'help': a command with its parameters, then indented lines about it");
    options.value("--hosts", hosts_, "The machines that '@all' names: a file of names and of ranges such as red[1-16]");
    const Option dpm =
        options.value("--dpm", dpm_, "The program dpm on the machines (default: the one in the PATH there)");
    options
        .flag("--copy-dpm", copies_dpm_,
              "Copy this program to machines that do not have it yet, into ~/.cache/dpm/bin; they need its libraries")
        .excludes(dpm);
  }

  int run(Terminal& terminal) override {
    auto launcher = launcher_named(launcher_);
    if (!launcher) return refuse(terminal, *this, launcher.error());
    launcher->dpm = dpm_;
    if (copies_dpm_) {
      const auto sha256 = control::sha256_of(own_program());
      if (!sha256) return refuse(terminal, *this, sha256.error());
      launcher->copy = DpmCopy{own_program(), *sha256};
    }
    if (!script_.empty())
      if (const auto lines = control::read_script(script_); !lines) return refuse(terminal, *this, lines.error());
    if (auto opened = open_surroundings(); !opened) return refuse(terminal, *this, opened.error());
    control::remove_abandoned_copies({});
    const UniqueFd interruption = interruptions();
    Connections connections(*launcher, own_name(), interruption.get());
    const auto made = make_state_folder();
    const std::string folder = made ? *made : "";  // "": no history is kept
    control::KnownMachines known(folder.empty() ? "" : folder + "/machines");
    const bool is_typed = script_.empty() && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
    if (is_typed) return type(connections, known, folder.empty() ? "" : folder + "/control-history");
    StreamScreen screen(terminal.out);
    Controller controller(connections, screen, known, hosts_, watching(), events(std::move(terminal_)), read_placement,
                          std::move(help_texts_));
    const int failures = script_.empty() ? pipe(controller, connections) : perform(controller);
    if (failures == 0) return kDone;
    terminal.err << "dpm control: " << counted(static_cast<std::uint64_t>(failures), "command") << " failed\n";
    return kFellShort;
  }

 private:
  static WhileWaiting meanwhile(Controller& controller, Connections& connections) {
    return {.machines = &connections,
            .show_reports =
                [&controller] {
                  controller.show_reports();
                  controller.flush_late_output();
                },
            .patience = [&controller] { return controller.patience(); }};
  }

  Result<void> open_surroundings() {
    if (!terminal_path_.empty()) {
      auto opened = control::EventTerminal::open(terminal_path_);
      if (!opened) return opened.error();
      terminal_ = *std::move(opened);
    }
    if (help_file_.empty()) return {};
    auto texts = control::HelpTexts::read(help_file_);
    if (!texts) return texts.error();
    help_texts_ = *std::move(texts);
    return {};
  }

  int type(Connections& connections, const control::KnownMachines& known, const std::string& history) {
    LineEditor editor(std::string(kPrompt), history);
    Controller controller(connections, editor, known, hosts_, watching(), events(std::move(terminal_)), read_placement,
                          std::move(help_texts_));
    editor.on_waiting(meanwhile(controller, connections));
    editor.on_completion(
        [&](std::string_view line) { return control::complete(controller.computation(), known.read(), line); });
    while (true) {
      connections
          .take_interruption();  // an interruption of the previous command; from here on one belongs to the next command
      const auto line = editor.next();
      const auto outcome = line.has_value() ? controller.perform(*line) : controller.end_of_typing();
      if (outcome == control::Outcome::left) return kDone;
      controller.show_reports();
    }
  }

  // Returns the number of commands that failed.
  static int pipe(Controller& controller, Connections& connections) {
    const std::string name = "standard input";
    PipedLines lines(STDIN_FILENO, meanwhile(controller, connections));
    std::size_t number = 0;
    while (const auto line = lines.next()) {
      const auto outcome = controller.perform(*line, name + ":" + std::to_string(++number));
      if (outcome == control::Outcome::left) return controller.failures();
      controller.show_reports();
      if (connections.take_interruption()) break;
    }
    controller.end_of_script(name);
    return controller.failures();
  }

  int perform(Controller& controller) const {
    if (controller.perform("source " + control::quoted_word(script_)) != control::Outcome::left)
      controller.end_of_script(script_);
    return controller.failures();
  }

  std::string script_, launcher_ = "ssh", dpm_, hosts_, terminal_path_, help_file_;
  std::optional<control::EventTerminal> terminal_;
  control::HelpTexts help_texts_;
  bool copies_dpm_ = false;
};

}  // namespace

std::unique_ptr<Command> make_control() { return std::make_unique<ControlCommand>(); }

}  // namespace dpm::cli
