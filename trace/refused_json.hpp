// Why nlohmann_json refused a text, in our words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "text/json_mistake.hpp"

namespace dpm {

// "path:3: this is not JSON, at column 4: ...", or "path: `not_what`: it has no 'seed'".
inline Error refused_json(const std::string& path, const std::string& not_what, std::string_view text,
                          const nlohmann::json::exception& wrong) {
  if (const auto mistake = find_json_mistake(text)) return Error{mistake->in_file(path)};
  return Error{path + ": " + not_what + ": " + json_content_mistake(wrong.what())};
}

// The same for a text that is not a file.
inline Error refused_json(std::string_view text, const nlohmann::json::exception& wrong) {
  const auto mistake = find_json_mistake(text);
  return Error{mistake ? mistake->in_text() : json_content_mistake(wrong.what())};
}

}  // namespace dpm
