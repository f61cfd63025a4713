// A JSON text as a tree that knows its lines, so that a mistake is named with the line it stands on. (nlohmann's own
// tree forgets them; its parser is used underneath.) Members keep the order of the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace dpm {

enum class JsonKind { null, boolean, number, text, list, object };

// "a number", "a list", ... for messages.
const char* name_of(JsonKind kind);

// What a message quotes of a text: all of it, or its beginning.
std::string excerpt(const std::string& text);

struct JsonMember;

struct JsonNode {
  JsonKind kind = JsonKind::null;
  int line = 0;
  bool flag = false;
  double number = 0;
  std::string text;
  std::vector<JsonNode> items;
  std::vector<JsonMember> members;

  bool is(JsonKind wanted) const { return kind == wanted; }
  const JsonNode* find(std::string_view key) const;  // of an object; null if there is none
};

struct JsonMember {
  std::string key;
  int line = 0;
  JsonNode value;
};

inline constexpr std::size_t kLongestJson = 16u << 20;
inline constexpr std::size_t kDeepestJson = 64;

// Refuses, as "path:line: ...", what is not JSON in UTF-8, numbers that do not fit a double, a key given twice, more
// than kLongestJson bytes and nesting deeper than kDeepestJson.
Result<JsonNode> parse_json(std::string_view text, const std::string& path);

// Reads the file first.
Result<JsonNode> load_json(const std::string& path);

}  // namespace dpm
