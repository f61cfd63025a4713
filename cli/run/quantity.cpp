#include "cli/run/quantity.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/nearest_name.hpp"
#include "text/number_text.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return significant(value.get<double>(), 6);
  return value.dump();
}

// "at=B,from=R": every named field has that value.
bool chosen(const Json& element, const std::string& conditions) {
  if (!element.is_object()) return false;
  for (const auto& condition : split(conditions, ',')) {
    const std::size_t equals = condition.find('=');
    const std::string field = condition.substr(0, equals);
    if (!element.contains(field) || text_of(element[field]) != condition.substr(equals + 1)) return false;
  }
  return true;
}

const Json* child(const Json& parent, const std::string& part) {
  if (parent.is_object()) {
    const auto found = parent.find(part);
    return found == parent.end() ? nullptr : &*found;
  }
  if (!parent.is_array()) return nullptr;
  if (part.find('=') != std::string::npos) {
    for (const auto& element : parent)
      if (chosen(element, part)) return &element;
    return nullptr;
  }
  std::size_t index = 0;
  const auto [end, wrong] = std::from_chars(part.data(), part.data() + part.size(), index);
  const bool is_index = wrong == std::errc() && end == part.data() + part.size();
  return is_index && index < parent.size() ? &parent[index] : nullptr;
}

std::string what_is_there(const Json& parent, const std::string& part) {
  if (!parent.is_object()) return "";
  std::vector<std::string> names;
  for (const auto& [key, value] : parent.items()) names.push_back(key);
  return did_you_mean(part, names);
}

}  // namespace

Result<double> find_quantity(const Json& results, std::string_view pointer) {
  const Json* at = &results;
  auto parts = split(pointer, '/');
  if (parts.size() < 2 || !parts.front().empty())
    return Error{"'" + std::string(pointer) + "': a quantity begins with '/'"};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Json* next = child(*at, parts[i]);
    if (next == nullptr)
      return Error{"'" + std::string(pointer) + "': no '" + parts[i] + "' in the results" +
                   what_is_there(*at, parts[i])};
    at = next;
  }
  if (!at->is_number()) return Error{"'" + std::string(pointer) + "' is not a number"};
  return at->get<double>();
}

}  // namespace dpm::cli
