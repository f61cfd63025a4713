#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <utility>

#include "cli/command.hpp"
#include "model/nearest_name.hpp"
#include "text/printable.hpp"
#include "text/wrapped.hpp"

namespace dpm::cli {
namespace {

constexpr int kNarrowest = 60;               // a terminal that is narrower breaks the lines itself
constexpr std::size_t kBesideCommands = 16;  // the column of their summaries: their names are short

// `--help` in the lines of a terminal: CLI11 writes a description in one line, however long.
class HelpLayout : public CLI::Formatter {
 public:
  explicit HelpLayout(int width) : width_(static_cast<std::size_t>(std::max(width, kNarrowest))) {}

  std::string make_description(const CLI::App* app) const override {
    return fmt::format("{}\n", fmt::join(wrapped(Formatter::make_description(app), width_), "\n"));
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return beside_names(Formatter::make_option_desc(option), get_column_width());
  }

  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_name(), beside_names(command->get_description(), kBesideCommands),
                             kBesideCommands);
    return out.str();
  }

 private:
  std::string beside_names(const std::string& description, std::size_t column) const {
    return fmt::format("{}", fmt::join(wrapped(description, width_ - column), "\n"));
  }

  std::size_t width_;
};

int refuse_unknown_command(const Commands& commands, const std::string& typed, Terminal& terminal) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command->name());
  terminal.err << "dpm: no command '" << printable(typed) << "'" << did_you_mean(typed, names)
               << "; 'dpm --help' lists them\n";
  return kWrongInput;
}

std::string nearest_option(const CLI::App& app, const std::string& typed) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return did_you_mean(typed.substr(0, typed.find('=')), names);
}

// What is wrong with a command line; more specific than CLI11's message where possible.
std::string complaint(const Commands& commands, const CLI::App& app, const CLI::App& asked, const std::string& first,
                      const CLI::ParseError& wrong) {
  const bool is_command_missing = &asked == &app;
  if (is_command_missing && first.empty()) return "which command? 'dpm --help' lists them";
  if (is_command_missing) return "no option '" + first + "'" + nearest_option(app, first);
  // A value or an option that is refused: what stands behind it has not been looked at, and is not wrong.
  constexpr std::array kRefusals = {CLI::ExitCodes::ValidationError, CLI::ExitCodes::ConversionError,
                                    CLI::ExitCodes::RequiresError, CLI::ExitCodes::ExcludesError};
  const bool is_refused = std::any_of(kRefusals.begin(), kRefusals.end(), [&](CLI::ExitCodes kind) {
    return wrong.get_exit_code() == static_cast<int>(kind);
  });
  const auto surplus = asked.remaining();
  // An option that is not in the help has no name there.
  const std::string_view what = wrong.what();
  if (surplus.empty() || is_refused) return std::string(what.substr(what.starts_with(": ") ? 2 : 0));
  const auto option =
      std::find_if(surplus.begin(), surplus.end(), [](const auto& word) { return word.starts_with("-"); });
  if (option != surplus.end()) return "no option '" + *option + "'" + nearest_option(asked, *option);
  const bool is_command =
      std::any_of(commands.begin(), commands.end(), [&](const auto& c) { return c->name() == surplus.front(); });
  return "'" + surplus.front() + "' is one argument too many" + (is_command ? ": one command at a time" : "");
}

Command& command_named(const Commands& commands, const std::string& name) {
  return **std::find_if(commands.begin(), commands.end(), [&](const auto& c) { return c->name() == name; });
}

// All up to the program's name, the first word behind --: options that are required are then found missing by CLI11.
int words_to_parse(int argc, char** argv) {
  const auto dashes = std::find(argv, argv + argc, std::string_view("--"));
  return static_cast<int>(std::min<std::ptrdiff_t>(dashes - argv + 2, argc));
}

// A result that could not be written is a failure: the disk behind `>` may be full. (A closed pipe ends dpm by SIGPIPE,
// as it ends other programs.)
int all_written(int status, Terminal& terminal) {
  errno = 0;
  if (terminal.out.flush()) return status;
  const Error failed = errno != 0 ? Error::from_errno("write standard output") : Error{"cannot write standard output"};
  terminal.err << "dpm: " << failed.what << '\n';
  return status == kDone ? kWrongInput : status;
}

}  // namespace

Option Option::required() const { return Option(option_->required()); }
Option Option::check(const Check& problem_of) const { return Option(option_->check(problem_of)); }
Option Option::between(int least, int most) const { return Option(option_->check(CLI::Range(least, most))); }
Option Option::between(unsigned least, unsigned most) const { return Option(option_->check(CLI::Range(least, most))); }
Option Option::between(double least, double most) const { return Option(option_->check(CLI::Range(least, most))); }
Option Option::one_of(const std::vector<std::string>& words) const {
  return Option(option_->check(CLI::IsMember(words)));
}
Option Option::former_word(const std::string& former, const std::string& now) const {
  return Option(option_->transform([former, now](std::string word) { return word == former ? now : word; }));
}
Option Option::bytes() const { return Option(option_->transform(CLI::AsSizeValue(false))); }
Option Option::needs(Option other) const { return Option(option_->needs(other.option_)); }
Option Option::excludes(Option other) const { return Option(option_->excludes(other.option_)); }
Option Option::words(int least, int most) const { return Option(option_->expected(least, most)); }
Option Option::one_word_each() const { return Option(option_->allow_extra_args(false)); }
Option Option::environment(const std::string& variable) const { return Option(option_->envname(variable)); }
Option Option::show_default() const { return Option(option_->capture_default_str()); }
Option Option::type_name(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::hide() const { return Option(option_->group("")); }
bool Option::is_given() const { return option_->count() > 0; }

Option Options::flag(const std::string& names, bool& is_given, const std::string& help) {
  return Option(command_.add_flag(names, is_given, help));
}

Option Options::value(const std::string& names, std::string& text, const std::string& help) {
  return Option(command_.add_option(names, text, help));
}
Option Options::value(const std::string& names, double& number, const std::string& help) {
  return Option(command_.add_option(names, number, help));
}
Option Options::value(const std::string& names, std::optional<double>& number, const std::string& help) {
  return Option(command_.add_option(names, number, help));
}
Option Options::value(const std::string& names, int& number, const std::string& help) {
  return Option(command_.add_option(names, number, help));
}
Option Options::value(const std::string& names, std::uint16_t& number, const std::string& help) {
  return Option(command_.add_option(names, number, help));
}
Option Options::value(const std::string& names, std::uint32_t& number, const std::string& help) {
  return Option(command_.add_option(names, number, help));
}
Option Options::value(const std::string& names, std::uint64_t& number, const std::string& help) {
  return Option(command_.add_option(names, number, help));
}
Option Options::value(const std::string& names, std::optional<std::uint64_t>& number, const std::string& help) {
  return Option(command_.add_option(names, number, help));
}
Option Options::list(const std::string& names, std::vector<std::string>& words, const std::string& help) {
  return Option(command_.add_option(names, words, help));
}
Option Options::list(const std::string& names, std::vector<std::uint32_t>& numbers, const std::string& help) {
  return Option(command_.add_option(names, numbers, help));
}

void Options::required_if(const std::string& name, std::function<bool()> is_missing) {
  command_.parse_complete_callback([name, is_missing = std::move(is_missing)] {
    if (is_missing()) throw CLI::RequiredError(name);
  });
}

void Options::surplus(std::vector<std::string>& words) {
  command_.allow_extras();
  command_.callback([&command = command_, &words] { words = command.remaining(); });
}

std::string whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = wrong == std::errc() && end == text.data() + text.size();
  return is_whole ? "" : "'" + text + "' is not a whole number of 0 or more";
}

std::string process_number(const std::string& text) {
  std::uint32_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_one = wrong == std::errc() && end == text.data() + text.size() && value > 0;
  return is_one ? "" : "'" + text + "' is not the number of a process (ps -e lists them)";
}

std::string directory_name(const std::string& text) { return text.empty() ? "a directory has a name" : ""; }

int run_command_line(const Commands& commands, int argc, char** argv, Terminal& terminal) {
  CLI::App app{
      "DPM, a monitor of distributed programs: who talks to whom, where requests queue, how parallel it is, "
      "and how parallel it would be elsewhere.",
      "dpm"};
  app.formatter(std::make_shared<HelpLayout>(terminal.width));  // which commands inherit
  app.set_version_flag("--version", "dpm " DPM_VERSION);
  app.require_subcommand(1);
  app.footer("'dpm COMMAND --help' shows an example of each.");
  for (const auto& command : commands) {
    CLI::App* sub = app.add_subcommand(command->name(), command->summary());
    sub->footer("Example:\n  " + command->example());
    Options options(*sub);
    command->describe(options);
  }
  const std::string typed = argc > 1 ? argv[1] : "";
  const bool is_command =
      std::any_of(commands.begin(), commands.end(), [&](const auto& c) { return c->name() == typed; });
  if (!typed.empty() && typed.front() != '-' && !is_command) return refuse_unknown_command(commands, typed, terminal);

  std::vector<std::string>* program = is_command ? command_named(commands, typed).program_words() : nullptr;
  const int parsed = program == nullptr ? argc : words_to_parse(argc, argv);
  try {
    app.parse(parsed, argv);
    if (program != nullptr) program->insert(program->end(), argv + parsed, argv + argc);
  } catch (const CLI::CallForHelp& help) {
    return all_written(app.exit(help, terminal.out, terminal.err), terminal);
  } catch (const CLI::CallForVersion& version) {
    return all_written(app.exit(version, terminal.out, terminal.err), terminal);
  } catch (const CLI::ParseError& wrong) {
    const auto chosen = app.get_subcommands();
    const CLI::App& asked = chosen.empty() ? app : *chosen.front();
    const std::string help = chosen.empty() ? "dpm --help" : "dpm " + asked.get_name() + " --help";
    terminal.err << "dpm" << (chosen.empty() ? "" : " " + asked.get_name()) << ": "
                 << printable_lines(complaint(commands, app, asked, typed, wrong)) << "\nTry '" << help << "'.\n";
    return kWrongInput;
  }
  for (const auto& command : commands)
    if (app.got_subcommand(command->name())) return all_written(command->run(terminal), terminal);
  return kWrongInput;
}

}  // namespace dpm::cli
