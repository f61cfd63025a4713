// The named values that a scenario gives a program. A program lists what it takes (ProgramDescription), so the loader
// refuses a misspelt parameter with the nearest valid one before anything runs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dpm {

using ParameterValue = std::variant<double, std::string, bool, std::vector<double>>;

class Parameters {
 public:
  void set(std::string name, ParameterValue value) { values_[std::move(name)] = std::move(value); }
  const std::map<std::string, ParameterValue>& values() const { return values_; }

  // Each returns the default when the scenario does not give the parameter. The loader has checked the kinds against
  // the program's ParameterDescriptions, so a wrong kind here is our own mistake.
  double number(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  bool flag(std::string_view name, bool otherwise) const;
  std::vector<double> numbers(std::string_view name, std::vector<double> otherwise) const;

 private:
  std::map<std::string, ParameterValue> values_;
};

}  // namespace dpm
