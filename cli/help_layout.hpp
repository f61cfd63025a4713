// `--help` in the lines of a terminal: CLI11 writes a description in one line, however long.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace dpm::cli {

class HelpLayout : public CLI::Formatter {
 public:
  explicit HelpLayout(int width);

  std::string make_description(const CLI::App* app) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  std::string beside_names(const std::string& description, std::size_t column) const;

  std::size_t width_ = 0;
};

}  // namespace dpm::cli
