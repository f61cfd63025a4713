#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "cli/command.hpp"
#include "model/nearest_name.hpp"
#include "text/duration_text.hpp"
#include "text/printable.hpp"
#include "text/wrapped.hpp"

namespace dpm::cli {
namespace {

constexpr int kNarrowest = 60;               // a terminal that is narrower breaks the lines itself
constexpr std::size_t kBesideCommands = 16;  // the column of their summaries: their names are short

// Commands that had another name in the last version. It still works in this one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kFormerNames = {
    {{"components", "sample report"}}};

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

  // A command, and below it those of two words that begin with its name.
  std::string make_subcommand(const CLI::App* command) const override {
    const bool is_second_word = command->get_parent()->get_parent() != nullptr;
    const std::string name = (is_second_word ? command->get_parent()->get_name() + " " : "") + command->get_name();
    std::ostringstream out;
    CLI::detail::format_help(out, name, beside_names(command->get_description(), kBesideCommands), kBesideCommands);
    for (const auto* second : command->get_subcommands({})) out << make_subcommand(second);
    return out.str();
  }

 private:
  std::string beside_names(const std::string& description, std::size_t column) const {
    return fmt::format("{}", fmt::join(wrapped(description, width_ - column), "\n"));
  }

  std::size_t width_;
};

using Words = std::vector<std::string>;

Words words_of(const std::string& name) {
  std::istringstream stream(name);
  return {std::istream_iterator<std::string>(stream), {}};
}

int refuse_unknown_command(const Commands& commands, const std::string& typed, Terminal& terminal) {
  Words names;
  for (const auto& command : commands) names.push_back(command->name());
  terminal.err << "dpm: no command '" << printable(typed) << "'" << did_you_mean(typed, names)
               << "; 'dpm --help' lists them\n";
  return kWrongInput;
}

bool is_named(const Command& command, const std::string& word) { return command.name() == word; }

// The command that the first words name: "dpm sample report" is "sample report", and "dpm sample make" is "sample".
Command* command_named_by(const Commands& commands, const Words& typed) {
  Command* found = nullptr;
  std::size_t most = 0;
  for (const auto& command : commands) {
    const Words name = words_of(command->name());
    if (name.size() <= most || name.size() > typed.size()) continue;
    if (!std::equal(name.begin(), name.end(), typed.begin())) continue;
    found = command.get();
    most = name.size();
  }
  return found;
}

// A former name stands for the present one, and the user is told.
void take_former_name(Words& typed, Terminal& terminal) {
  if (typed.empty()) return;
  for (const auto& [former, now] : kFormerNames) {
    if (typed.front() != former) continue;
    terminal.err << "dpm " << former << ": the name of this command is now 'dpm " << now << "'\n";
    const Words name = words_of(std::string(now));
    typed.erase(typed.begin());
    typed.insert(typed.begin(), name.begin(), name.end());
    return;
  }
}

std::string nearest_option(const CLI::App& app, const std::string& typed) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return did_you_mean(typed.substr(0, typed.find('=')), names);
}

// CLI11's "Could not convert: --port = 99999" does not say what is wrong.
std::string with_reason(std::string_view what) {
  constexpr std::string_view kUnread = "Could not convert: ", kEquals = " = ";
  if (what.starts_with(": ")) what.remove_prefix(2);  // an option that is not in the help has no name there
  const auto equals = what.find(kEquals);
  if (!what.starts_with(kUnread) || equals == std::string_view::npos) return std::string(what);
  return fmt::format("{}: '{}' is not a number, or is out of range",
                     what.substr(kUnread.size(), equals - kUnread.size()), what.substr(equals + kEquals.size()));
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
  if (surplus.empty() || is_refused) return with_reason(wrong.what());
  const auto option =
      std::find_if(surplus.begin(), surplus.end(), [](const auto& word) { return word.starts_with("-"); });
  if (option != surplus.end()) return "no option '" + *option + "'" + nearest_option(asked, *option);
  const bool is_command = std::any_of(commands.begin(), commands.end(),
                                      [&](const auto& command) { return is_named(*command, surplus.front()); });
  return "'" + surplus.front() + "' is one argument too many" + (is_command ? ": one command at a time" : "");
}

// All up to the program's name, the first word behind --: options that are required are then found missing by CLI11.
std::size_t words_to_parse(const Words& typed) {
  const auto dashes = std::find(typed.begin(), typed.end(), "--");
  return std::min(static_cast<std::size_t>(dashes - typed.begin()) + 2, typed.size());
}

CLI::App& add_command(CLI::App& parent, const std::string& word, Command& command) {
  CLI::App& app = *parent.add_subcommand(word, command.summary());
  app.footer("Example:\n  " + command.example());
  Options options(app);
  command.describe(options);
  return app;
}

// Adds all commands, and returns that of `chosen`. A command of two words is added to that of its first one, unless this is
// the chosen one, whose arguments may be any words.
CLI::App* add_commands(CLI::App& app, const Commands& commands, const Command* chosen) {
  CLI::App* added = nullptr;
  for (const auto& command : commands) {
    const Words name = words_of(command->name());
    if (name.size() == 2 && chosen != nullptr && is_named(*chosen, name.front())) {
      added->footer(added->get_footer() + "\nSee also:\n  dpm " + command->name() + " --help");
      continue;
    }
    CLI::App& parent = name.size() == 1 ? app : *app.get_subcommand(name.front());
    CLI::App& own = add_command(parent, name.back(), *command);
    if (command.get() == chosen) added = &own;
  }
  return added;
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
Option Options::value(const std::string& names, std::optional<Duration>& duration, const std::string& help) {
  const auto read = [&duration](const std::string& text) { duration = duration_from(text).value(); };
  return Option(command_.add_option_function<std::string>(names, read, help))
      .type_name("TIME")
      .check([names](const std::string& text) -> std::string {
        const auto read_duration = duration_from(text);
        if (!read_duration) return read_duration.error().what;
        return read_duration->ns > 0
                   ? ""
                   : "a time must be more than 0; without " + names + ", the command ends as its help says";
      });
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

std::string directory_name(const std::string& text) {
  return text.empty() ? "the name of a directory cannot be empty" : "";
}

// std::thread throws when a limit of processes and threads is reached.
int run_command(Command& chosen, Terminal& terminal) {
  try {
    return chosen.run(terminal);
  } catch (const std::system_error& refused) {
    terminal.err << "dpm " << chosen.name() << ": the machine refuses a thread: " << refused.code().message()
                 << " (raise pids.max of the cgroup, or 'ulimit -u')\n";
    return kWrongInput;
  }
}

int run_command_line(const Commands& commands, int argc, char** argv, Terminal& terminal) {
  CLI::App app{
      "DPM, a monitor of distributed programs: who talks to whom, where requests queue, how parallel it is, "
      "and how parallel it would be elsewhere.",
      "dpm"};
  app.formatter(std::make_shared<HelpLayout>(terminal.width));  // which commands inherit
  app.set_version_flag("--version", "dpm " DPM_VERSION);
  app.require_subcommand(1);
  app.footer("'dpm COMMAND --help' shows an example of each.");
  Words typed(argv + std::min(argc, 1), argv + argc);
  take_former_name(typed, terminal);
  Command* const chosen = command_named_by(commands, typed);
  const std::string first = typed.empty() ? "" : typed.front();
  if (chosen == nullptr && !first.empty() && first.front() != '-')
    return refuse_unknown_command(commands, first, terminal);
  CLI::App* const added = add_commands(app, commands, chosen);

  Words* const program = chosen == nullptr ? nullptr : chosen->program_words();
  const auto parsed =
      typed.begin() + static_cast<std::ptrdiff_t>(program == nullptr ? typed.size() : words_to_parse(typed));
  try {
    app.parse(Words(std::make_reverse_iterator(parsed), typed.rend()));
    if (program != nullptr) program->insert(program->end(), parsed, typed.end());
  } catch (const CLI::CallForHelp& help) {
    return all_written(app.exit(help, terminal.out, terminal.err), terminal);
  } catch (const CLI::CallForVersion& version) {
    return all_written(app.exit(version, terminal.out, terminal.err), terminal);
  } catch (const CLI::ParseError& wrong) {
    const CLI::App& asked = added == nullptr ? app : *added;
    const std::string name = chosen == nullptr ? "dpm" : "dpm " + chosen->name();
    terminal.err << name << ": " << printable_lines(complaint(commands, app, asked, first, wrong)) << "\nTry '" << name
                 << " --help'.\n";
    return kWrongInput;
  }
  return chosen == nullptr ? kWrongInput : all_written(run_command(*chosen, terminal), terminal);
}

}  // namespace dpm::cli
