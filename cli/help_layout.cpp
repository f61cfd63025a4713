#include "cli/help_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/wrapped.hpp"

namespace dpm::cli {
namespace {

constexpr int kNarrowest = 60;               // a terminal that is narrower breaks the lines itself
constexpr std::size_t kBesideCommands = 16;  // the column of their summaries: their names are short

}  // namespace

HelpLayout::HelpLayout(int width) : width_(static_cast<std::size_t>(std::max(width, kNarrowest))) {}

std::string HelpLayout::make_description(const CLI::App* app) const {
  return fmt::format("{}\n", fmt::join(wrapped(Formatter::make_description(app), width_), "\n"));
}

std::string HelpLayout::make_option_desc(const CLI::Option* option) const {
  return beside_names(Formatter::make_option_desc(option), get_column_width());
}

std::string HelpLayout::make_subcommand(const CLI::App* command) const {
  std::ostringstream out;
  CLI::detail::format_help(out, command->get_name(), beside_names(command->get_description(), kBesideCommands),
                           kBesideCommands);
  return out.str();
}

std::string HelpLayout::beside_names(const std::string& description, std::size_t column) const {
  return fmt::format("{}", fmt::join(wrapped(description, width_ - column), "\n"));
}

}  // namespace dpm::cli
