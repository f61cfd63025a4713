// What is wrong with a text that should be JSON. Some libraries do not say where the mistake is: a text that any of them refused is read
// again by nlohmann_json, and all commands describe it in the same way.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dpm {

struct JsonMistake {
  std::size_t line = 0, column = 0;  // from 1, in bytes; 0: the whole text
  std::string what;                  // "unexpected '}'; expected string literal"

  // "path:3: this is not JSON, at column 4: unexpected ..."
  std::string in_file(const std::string& path) const;
  // The same for a text that is not a file: "this is not JSON, at line 3, column 4: unexpected ..."
  std::string in_text() const;
};

// Nothing for JSON in UTF-8 whose numbers fit a double.
std::optional<JsonMistake> find_json_mistake(std::string_view text);

// Why a library refused the text, for a text that is not a file: also what is JSON can be more than a library reads.
std::string why_not_json(std::string_view text);

// What JSON holds that is not what was wanted, from the text of an exception of nlohmann_json: "it has no 'seed'".
std::string json_content_mistake(std::string_view exception_text);

}  // namespace dpm
