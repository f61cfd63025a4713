#include "text/json_mistake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

namespace dpm {
namespace {

constexpr std::size_t kWhatBytesMax = 160;

// "[json.exception.parse_error.101] parse error at line 2, column 7: syntax error while parsing value - unexpected '}'; expected ..."
JsonMistake mistake_in(std::string_view exception_text, std::string_view json) {
  JsonMistake mistake;
  const std::size_t bracket = exception_text.find("] ");
  const std::string text(exception_text.substr(bracket == std::string_view::npos ? 0 : bracket + 2));
  std::sscanf(text.c_str(), "parse error at line %zu, column %zu", &mistake.line, &mistake.column);
  const std::size_t dash = text.find(" - ");
  mistake.what = dash == std::string::npos ? text : text.substr(dash + 3);
  // "number overflow parsing '1e400'" has no place.
  const std::size_t quote = mistake.line == 0 ? text.find('\'') : std::string::npos;
  const std::size_t at =
      quote == std::string::npos ? quote : json.find(text.substr(quote + 1, text.rfind('\'') - quote - 1));
  if (at != std::string_view::npos) {
    const std::string_view before = json.substr(0, at);
    mistake.line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    mistake.column = at - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  }
  if (mistake.what.size() > kWhatBytesMax) mistake.what = mistake.what.substr(0, kWhatBytesMax) + "...";
  return mistake;
}

// The library's name of a kind of value, as the users of scenario files know it.
std::string kind_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, const char*>, 5> kKindNames = {{{"string", "a text"},
                                                                                   {"array", "a list"},
                                                                                   {"object", "an object"},
                                                                                   {"number", "a number"},
                                                                                   {"boolean", "true or false"}}};
  const auto found =
      std::find_if(kKindNames.begin(), kKindNames.end(), [&](const auto& known) { return known.first == name; });
  return found == kKindNames.end() ? std::string(name) : found->second;
}

}  // namespace

std::string JsonMistake::in_file(const std::string& path) const {
  if (line == 0) return fmt::format("{}: {}", path, what);
  return fmt::format("{}:{}: this is not JSON, at column {}: {}", path, line, column, what);
}

std::string JsonMistake::in_text() const {
  return line == 0 ? what : fmt::format("this is not JSON, at line {}, column {}: {}", line, column, what);
}

std::optional<JsonMistake> find_json_mistake(std::string_view text) {
  try {
    // Nothing is kept of the values.
    (void)nlohmann::json::parse(text, [](int, nlohmann::json::parse_event_t, nlohmann::json&) { return false; });
    return std::nullopt;
  } catch (const nlohmann::json::exception& wrong) {
    return mistake_in(wrong.what(), text);
  }
}

std::string why_not_json(std::string_view text) {
  const auto mistake = find_json_mistake(text);
  return mistake ? mistake->in_text() : "this is JSON that is nested too deeply, or has a number that is too large";
}

// The library's texts: "[json.exception.type_error.302] type must be string, but is number", "... key 'seed' not found",
// "... cannot use at() with number". A text of ours, which json_number.hpp throws, stays.
std::string json_content_mistake(std::string_view exception_text) {
  constexpr std::string_view kMust = "type must be ", kIs = ", but is ", kKey = "key '", kMissing = "' not found";
  constexpr std::string_view kUse = "cannot use ", kWith = " with ";
  const std::size_t bracket = exception_text.find("] ");
  std::string_view text = exception_text.substr(bracket == std::string_view::npos ? 0 : bracket + 2);
  if (text.starts_with(kKey) && text.ends_with(kMissing))
    return fmt::format("it has no '{}'", text.substr(kKey.size(), text.size() - kKey.size() - kMissing.size()));
  const std::size_t is = text.find(kIs), with = text.find(kWith);
  if (text.starts_with(kMust) && is != std::string_view::npos)
    return fmt::format("a value must be {}, and is {}", kind_name(text.substr(kMust.size(), is - kMust.size())),
                       kind_name(text.substr(is + kIs.size())));
  if (text.starts_with(kUse) && with != std::string_view::npos)
    return fmt::format("a value must be an object or a list, and is {}", kind_name(text.substr(with + kWith.size())));
  if (text.starts_with("array index")) return "a list is too short";
  return std::string(text);
}

}  // namespace dpm
