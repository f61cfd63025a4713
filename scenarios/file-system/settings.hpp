// The numbers a process runs with: what its scenario gives, and for the rest the defaults the program describes, so
// that a default stands in one place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/program.hpp"
#include "model/time.hpp"

namespace dpm::scenarios::file_system {

class Settings {
 public:
  Settings(std::vector<ParameterDescription> described, Parameters given)
      : described_(std::move(described)), given_(std::move(given)) {}

  // Out of range: std::invalid_argument, which names the parameter. A name that is not described is our own mistake.
  Duration time(std::string_view name) const;
  double probability(std::string_view name) const;
  std::uint32_t count(std::string_view name, double low = 0, double high = 1e9) const;  // a whole number
  std::vector<double> numbers(std::string_view name) const;
  bool on(std::string_view name) const { return count(name, 0, 1) == 1; }

 private:
  double number(std::string_view name) const;
  const ParameterDescription& description(std::string_view name) const;

  std::vector<ParameterDescription> described_;
  Parameters given_;
};

// A program whose process runs `run` with its settings.
ProgramDescription describe(std::string name, std::string summary, std::vector<ParameterDescription> parameters,
                            void (*run)(const Settings&, MessageCalls&));

}  // namespace dpm::scenarios::file_system
