// The options of a command: the names on its command line, the variables that they set, and which values are refused.
//
// This is all that commands see of CLI11. Its headers take 6 s to compile, so command_line.cpp alone includes them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/time.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dpm::cli {

// An option that has been added, to say more about it. A copy speaks of the same option.
class Option {
 public:
  // Returns why a value is refused, or "".
  using Check = std::function<std::string(const std::string& text)>;

  explicit Option(CLI::Option* option) : option_(option) {}

  Option required() const;
  Option check(const Check& problem_of) const;
  // Both ends are allowed. The help shows the range and the type of its ends.
  Option between(int least, int most) const;
  Option between(unsigned least, unsigned most) const;
  Option between(double least, double most) const;
  Option one_of(const std::vector<std::string>& words) const;
  // Takes the word that an earlier version had for `now`.
  Option former_word(const std::string& former, const std::string& now) const;
  // A number of bytes with a unit, such as 64k or 8MiB; checks that follow see the bytes.
  Option bytes() const;
  Option needs(Option other) const;
  Option excludes(Option other) const;
  // From `least` to `most` words belong to the option each time it is given; -1 is any number.
  Option words(int least, int most) const;
  // A list that takes one word each time it is given: the next word is an argument of the command.
  Option one_word_each() const;
  // The variable that has the value where the option is not given.
  Option environment(const std::string& variable) const;

  // In --help: the value that the variable has now as the default, another word for the value, or nothing at all.
  Option show_default() const;
  Option type_name(const std::string& name) const;
  Option hide() const;

  // After the command line has been parsed.
  bool is_given() const;

 private:
  CLI::Option* option_;
};

// Names are such as "-o,--output"; a name without dashes is an argument, known by its place. The variables outlive the
// parsing, and keep what they have where an option is not given.
class Options {
 public:
  explicit Options(CLI::App& command) : command_(command) {}

  Option flag(const std::string& names, bool& is_given, const std::string& help = "");

  Option value(const std::string& names, std::string& text, const std::string& help);
  Option value(const std::string& names, double& number, const std::string& help);
  Option value(const std::string& names, std::optional<double>& number, const std::string& help);
  Option value(const std::string& names, int& number, const std::string& help);
  Option value(const std::string& names, std::uint16_t& number, const std::string& help);
  Option value(const std::string& names, std::uint32_t& number, const std::string& help);
  Option value(const std::string& names, std::uint64_t& number, const std::string& help);
  Option value(const std::string& names, std::optional<std::uint64_t>& number, const std::string& help);
  // More than 0, as duration_from() reads it.
  Option value(const std::string& names, std::optional<Duration>& duration, const std::string& help);

  Option list(const std::string& names, std::vector<std::string>& words, const std::string& help);
  Option list(const std::string& names, std::vector<std::uint32_t>& numbers, const std::string& help);

  // Refuses the command line for want of `name` if, once all of it is read, `is_missing` returns true.
  void required_if(const std::string& name, std::function<bool()> is_missing);

  // Unknown options and surplus arguments come to `words`, and are not refused.
  void surplus(std::vector<std::string>& words);

 private:
  CLI::App& command_;
};

// For Option::check(): why the text is not a whole number, or "". CLI11 itself would read -1 as 2^64 - 1.
std::string whole_number(const std::string& text);
// The same for a process id.
std::string process_number(const std::string& text);
// The same for the name of a directory, which is not empty.
std::string directory_name(const std::string& text);

}  // namespace dpm::cli
