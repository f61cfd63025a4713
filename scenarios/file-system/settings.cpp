#include "scenarios/file-system/settings.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "model/check.hpp"

namespace dpm::scenarios::file_system {
namespace {

void refuse_outside(std::string_view name, double value, double low, double high, const char* what) {
  std::ostringstream message;
  message << "parameter '" << name << "' must be " << what << " from " << low << " to " << high << ", not " << value;
  throw std::invalid_argument(message.str());
}

}  // namespace

Duration Settings::time(std::string_view name) const {
  const double seconds = number(name);
  constexpr double kLongest = 1e6;
  if (!(seconds >= 0 && seconds <= kLongest)) refuse_outside(name, seconds, 0, kLongest, "a time");
  return Duration::from_seconds(seconds);
}

double Settings::probability(std::string_view name) const {
  const double value = number(name);
  if (!(value >= 0 && value <= 1)) refuse_outside(name, value, 0, 1, "a number");
  return value;
}

std::uint32_t Settings::count(std::string_view name, double low, double high) const {
  const double value = number(name);
  if (!(value >= low && value <= high && value == std::floor(value)))
    refuse_outside(name, value, low, high, "a whole number");
  return static_cast<std::uint32_t>(value);
}

std::vector<double> Settings::numbers(std::string_view name) const {
  return given_.numbers(name, std::get<std::vector<double>>(description(name).default_value));
}

double Settings::number(std::string_view name) const {
  return given_.number(name, std::get<double>(description(name).default_value));
}

const ParameterDescription& Settings::description(std::string_view name) const {
  const auto found = std::find_if(described_.begin(), described_.end(), [&](const auto& p) { return p.name == name; });
  DPM_CHECK(found != described_.end());
  return *found;
}

ProgramDescription describe(std::string name, std::string summary, std::vector<ParameterDescription> parameters,
                            void (*run)(const Settings&, MessageCalls&)) {
  ProgramDescription description;
  description.name = std::move(name);
  description.summary = std::move(summary);
  description.parameters = parameters;
  description.make = [parameters = std::move(parameters), run](const Parameters& given) -> Program {
    return [settings = Settings(parameters, given), run](MessageCalls& calls) { run(settings, calls); };
  };
  return description;
}

}  // namespace dpm::scenarios::file_system
