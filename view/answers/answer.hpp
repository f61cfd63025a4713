// What the page is told when it asks: a JSON object and, beside it, arrays of numbers, which would be slow as JSON text.
// This is the wire format of docs/live-page.md. No I/O.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/result.hpp"

namespace dpm::view {

using Json = nlohmann::ordered_json;

struct AnswerArray {
  std::string name;
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::uint32_t>, std::vector<std::uint8_t>> values;
};

struct Answer {
  Json json = Json::object();       // an object (or null: an empty one) without members that have the names of arrays
  std::vector<AnswerArray> arrays;  // their names differ
};

// The object with its arrays as lists, numbers that are not finite as null. Bytes that are not UTF-8 are replaced, here and
// below. A file that embeds this text in a <script> must still escape "</".
std::string to_json(const Answer& answer);

// What a viewer gets over its WebSocket. Answers that have arrays travel as binary messages, all others as text.
struct SocketMessage {
  bool is_binary = false;
  std::string bytes;
};

SocketMessage answer_message(std::uint64_t id, const Answer& answer);
SocketMessage error_message(std::uint64_t id, std::string_view sentence);
SocketMessage tick_message(const Json& tick);

// The same for the HTTP form: {"error": "sentence"}.
std::string error_json(std::string_view sentence);

}  // namespace dpm::view
