#include "view/answers/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "model/nearest_name.hpp"

namespace dpm::view {
namespace {

std::string text_of(const Json& value) { return value.dump(-1, ' ', true, Json::error_handler_t::replace); }

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool is_quoted(std::string_view type) { return type.starts_with('\''); }

// Of "(T)[]" and "T[]".
std::optional<std::string_view> entry_type_of(std::string_view type) {
  if (!type.ends_with("[]")) return std::nullopt;
  type.remove_suffix(2);
  return type.starts_with('(') ? type.substr(1, type.size() - 2) : type;
}

std::optional<std::string_view> value_type_of(std::string_view type) {
  constexpr std::string_view kRecord = "Record<string, ";
  if (!type.starts_with(kRecord)) return std::nullopt;
  return type.substr(kRecord.size(), type.size() - kRecord.size() - 1);
}

std::string name_within(const std::string& name, std::string_view member) {
  return name.empty() ? std::string(member) : fmt::format("{}.{}", name, member);
}

std::string expected(const Field& field, const std::string& name, std::string_view what) {
  return field.like.empty() ? fmt::format("'{}' must be {}", name, what)
                            : fmt::format("'{}' must be {}: {}", name, what, field.like);
}

std::optional<std::string> number_misfit(const Field& field, const Json& value, const std::string& name) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) return fmt::format("'{}' must be a number", name);
  const double number = value.get<double>();
  if (number >= field.least && number <= field.most) return std::nullopt;
  return fmt::format("'{}' must be from {} to {}", name, field.least, field.most);
}

std::optional<std::string> list_misfit(const Field& field, std::string_view type, const Json& value,
                                       const std::string& name) {
  if (!value.is_array()) return expected(field, name, "a list");
  if (field.entries_most > 0 && value.size() > field.entries_most)
    return fmt::format("'{}' can have at most {} entries", name, field.entries_most);
  for (std::size_t i = 0; i < value.size(); ++i)
    if (auto why = misfit(field, type, value[i], fmt::format("{}[{}]", name, i))) return why;
  return std::nullopt;
}

std::optional<std::string> record_misfit(const Field& field, std::string_view type, const Json& value,
                                         const std::string& name) {
  if (!value.is_object()) return expected(field, name, "an object");
  for (const auto& [key, member] : value.items())
    if (auto why = misfit(field, type, member, name_within(name, key))) return why;
  return std::nullopt;
}

// Of several types the one whose single values (true, 'after', null) the value has decides, so that the reason is of it.
std::optional<std::string> choice_misfit(const Field& field, std::span<const std::string_view> types, const Json& value,
                                         const std::string& name) {
  std::optional<std::string> first;
  for (const std::string_view type : types) {
    auto why = misfit(field, type, value, name);
    if (!why) return std::nullopt;
    if (!first) first = std::move(why);
  }
  if (!std::all_of(types.begin(), types.end(), is_quoted)) return first;
  std::string words;
  for (std::size_t i = 0; i < types.size(); ++i)
    words += fmt::format("{}\"{}\"",
                         i == 0                  ? ""
                         : i + 1 == types.size() ? " or "
                                                 : ", ",
                         types[i].substr(1, types[i].size() - 2));
  return fmt::format("'{}' must be {}", name, words);
}

std::optional<std::string> single_misfit(const Field& field, std::string_view type, const Json& value,
                                         const std::string& name) {
  const auto unless = [&](bool fits, std::string_view what) {
    return fits ? std::nullopt : std::optional(expected(field, name, what));
  };
  if (type == "unknown") return std::nullopt;
  if (type == "null") return unless(value.is_null(), "null");
  if (type == "string") return unless(value.is_string(), "a text");
  if (type == "boolean") return unless(value.is_boolean(), "true or false");
  if (type == "true" || type == "false") return unless(value == Json(type == "true"), type);
  if (is_quoted(type)) return unless(value == Json(type.substr(1, type.size() - 2)), type);
  if (type == "number") return number_misfit(field, value, name);
  const bool is_process = value.is_number_integer() && value >= 0;
  if (type == "ProcessId") return is_process ? std::nullopt : std::optional("there is no process " + text_of(value));
  return fmt::format("'{}' has a type that JSON does not have: {}", name, type);
}

bool is_numbered(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('#') || name.size() < pattern.size()) return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto digits = name.substr(pattern.size() - 1);
  return name.starts_with(pattern.substr(0, pattern.size() - 1)) && std::all_of(digits.begin(), digits.end(), is_digit);
}

std::optional<std::string> unknown_member(std::span<const Field> fields, const Json& object, const std::string& name) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.emplace_back(bare_name(field));
  for (const auto& [key, value] : object.items()) {
    const auto is_it = [&key = key](const std::string& known) { return key == known || is_numbered(key, known); };
    if (std::none_of(names.begin(), names.end(), is_it))
      return fmt::format("there is no '{}' here{}", name_within(name, key), did_you_mean(key, names));
  }
  return std::nullopt;
}

}  // namespace

std::string_view bare_name(const Field& field) {
  return field.name.substr(0, field.name.size() - (may_be_missing(field) ? 1 : 0));
}

bool may_be_missing(const Field& field) { return field.name.ends_with('?'); }

std::vector<std::string_view> alternatives_of(std::string_view type) {
  std::vector<std::string_view> types;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < type.size(); ++at) {
    if (type[at] == '(' || type[at] == '<') ++depth;
    if (type[at] == ')' || type[at] == '>') --depth;
    if (type[at] != '|' || depth > 0) continue;
    types.push_back(trimmed(type.substr(begin, at - begin)));
    begin = at + 1;
  }
  types.push_back(trimmed(type.substr(begin)));
  return types;
}

const Structure* find_structure(std::string_view type) {
  const auto found = std::find_if(std::begin(kStructures), std::end(kStructures),
                                  [&](const Structure& structure) { return structure.name == type; });
  return found == std::end(kStructures) ? nullptr : &*found;
}

std::optional<std::string> misfit(const Field& field, std::string_view type, const Json& value,
                                  const std::string& name) {
  const auto types = alternatives_of(type);
  if (types.size() > 1) return choice_misfit(field, types, value, name);
  if (const auto entry = entry_type_of(type)) return list_misfit(field, *entry, value, name);
  if (const auto member = value_type_of(type)) return record_misfit(field, *member, value, name);
  if (const Structure* structure = find_structure(type)) return misfit(structure->fields, value, name);
  return single_misfit(field, type, value, name);
}

std::optional<std::string> misfit(std::span<const Field> fields, const Json& object, const std::string& name) {
  if (!object.is_object()) return fmt::format("'{}' must be an object", name);
  if (auto why = unknown_member(fields, object, name)) return why;
  for (const Field& field : fields) {
    const std::string whole_name = name_within(name, bare_name(field));
    const auto found = object.find(std::string(bare_name(field)));
    if (found != object.end()) {
      if (auto why = misfit(field, field.type, *found, whole_name)) return why;
    } else if (!may_be_missing(field) && !field.name.ends_with('#')) {
      return fmt::format("'{}' is missing{}{}", whole_name, field.like.empty() ? "" : ": ", field.like);
    }
  }
  return std::nullopt;
}

Result<Json> read_parameters(const PageRequest& request) {
  const auto found = std::find_if(std::begin(kRequests), std::end(kRequests),
                                  [&](const Request& known) { return known.name == request.name; });
  if (found == std::end(kRequests)) {
    std::vector<std::string> names;
    for (const Request& known : kRequests) names.emplace_back(known.name);
    return Error{fmt::format("there is no request '{}'{}", request.name, did_you_mean(request.name, names))};
  }
  Json params = Json::object();
  for (const auto& [name, value] : request.params.items())
    if (!value.is_null()) params[name] = value;
  if (auto why = misfit(found->parameters, params, "")) return Error{*std::move(why)};
  for (const Field& parameter : found->parameters)
    if (parameter.otherwise != -Field::kNoLimit && !params.contains(bare_name(parameter)))
      params[std::string(bare_name(parameter))] = parameter.otherwise;
  return params;
}

}  // namespace dpm::view
