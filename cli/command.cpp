#include "cli/command.hpp"

#include <CLI/CLI.hpp>

#include "model/nearest_name.hpp"

namespace dpm::cli {
namespace {

int refuse_unknown_command(const Commands& commands, const std::string& typed, Terminal& terminal) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command->name());
  terminal.err << "dpm: no command '" << typed << "'" << did_you_mean(typed, names) << "; 'dpm --help' lists them\n";
  return kWrongInput;
}

// CLI11 says which argument it did not expect; we add what was probably meant.
std::string nearest_option(const CLI::App& app, const std::string& complaint) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  const std::size_t dashes = complaint.find("--");
  if (dashes == std::string::npos) return "";
  std::string typed = complaint.substr(dashes);
  typed = typed.substr(0, typed.find_first_of(" =]\n"));
  return did_you_mean(typed, names);
}

}  // namespace

int refuse(Terminal& terminal, const Command& command, const Error& error) {
  terminal.err << "dpm " << command.name() << ": " << error.what << '\n';
  return kWrongInput;
}

int run_command_line(const Commands& commands, int argc, char** argv, Terminal& terminal) {
  CLI::App app{"DPM, a monitor of distributed programs: who talks to whom, where requests queue, how parallel it is,\n"
               "and how parallel it would be elsewhere.", "dpm"};
  app.set_version_flag("--version", "dpm " DPM_VERSION);
  app.require_subcommand(1);
  app.footer("'dpm COMMAND --help' shows an example of each.");
  for (const auto& command : commands) {
    CLI::App* sub = app.add_subcommand(command->name(), command->summary());
    sub->footer("Example:\n  " + command->example());
    command->describe(*sub);
  }
  const std::string typed = argc > 1 ? argv[1] : "";
  const bool is_command = std::any_of(commands.begin(), commands.end(), [&](const auto& c) { return c->name() == typed; });
  if (!typed.empty() && typed.front() != '-' && !is_command) return refuse_unknown_command(commands, typed, terminal);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help, terminal.out, terminal.err);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version, terminal.out, terminal.err);
  } catch (const CLI::ParseError& wrong) {
    const auto chosen = app.get_subcommands();
    const CLI::App& asked = chosen.empty() ? app : *chosen.front();
    const std::string help = chosen.empty() ? "dpm --help" : "dpm " + asked.get_name() + " --help";
    terminal.err << "dpm" << (chosen.empty() ? "" : " " + asked.get_name()) << ": " << wrong.what()
                 << nearest_option(asked, wrong.what()) << "\nTry '" << help << "'.\n";
    return kWrongInput;
  }
  for (const auto& command : commands)
    if (app.got_subcommand(command->name())) return command->run(terminal);
  return kWrongInput;
}

}  // namespace dpm::cli
