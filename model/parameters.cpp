#include "model/parameters.hpp"

#include "model/check.hpp"

namespace dpm {
namespace {

template <typename T>
T value_or(const std::map<std::string, ParameterValue>& values, std::string_view name, T otherwise) {
  const auto found = values.find(std::string(name));
  if (found == values.end()) return otherwise;
  const T* value = std::get_if<T>(&found->second);
  DPM_CHECK(value != nullptr);
  return *value;
}

}  // namespace

double Parameters::number(std::string_view name, double otherwise) const { return value_or(values_, name, otherwise); }

std::string Parameters::text(std::string_view name, std::string_view otherwise) const {
  return value_or(values_, name, std::string(otherwise));
}

bool Parameters::flag(std::string_view name, bool otherwise) const { return value_or(values_, name, otherwise); }

std::vector<double> Parameters::numbers(std::string_view name, std::vector<double> otherwise) const {
  return value_or(values_, name, std::move(otherwise));
}

}  // namespace dpm
