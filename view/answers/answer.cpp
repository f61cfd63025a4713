#include "view/answers/answer.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>

#include "model/check.hpp"

namespace dpm::view {
namespace {

constexpr std::size_t kAlignmentBytes = 8;  // so that a browser can lay typed arrays over the message
static_assert(std::endian::native == std::endian::little, "arrays are copied as they lie in memory");

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Checked as well.
std::string object_of(const Answer& answer) {
  if (answer.json.is_null()) return "{}";
  DPM_CHECK(answer.json.is_object());
  for (const auto& array : answer.arrays) DPM_CHECK(!answer.json.contains(array.name));
  return dumped(answer.json);
}

std::string_view type_name(const AnswerArray& array) {
  constexpr std::string_view kNames[] = {"f64", "f32", "u32", "u8"};
  return kNames[array.values.index()];
}

std::size_t count_of(const AnswerArray& array) {
  return std::visit([](const auto& values) { return values.size(); }, array.values);
}

void append_list(std::string& text, const AnswerArray& array) {
  auto out = std::back_inserter(text);
  const auto append = [&](const auto& values) {
    char separator = '[';
    for (const auto value : values) {
      text += std::exchange(separator, ',');
      if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
        if (!std::isfinite(value)) {
          text += "null";
          continue;
        }
      }
      fmt::format_to(out, "{}", value);
    }
    text += values.empty() ? "[]" : "]";
  };
  std::visit(append, array.values);
}

void pad(std::string& bytes) {
  bytes.append((kAlignmentBytes - bytes.size() % kAlignmentBytes) % kAlignmentBytes, '\0');
}

void append_bytes(std::string& bytes, const AnswerArray& array) {
  const auto append = [&](const auto& values) {
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  };
  std::visit(append, array.values);
  pad(bytes);
}

}  // namespace

std::string to_json(const Answer& answer) {
  std::string text = object_of(answer);
  text.pop_back();
  for (const auto& array : answer.arrays) {
    fmt::format_to(std::back_inserter(text), "{}{}:", text.size() > 1 ? "," : "", dumped(array.name));
    append_list(text, array);
  }
  return text + "}";
}

SocketMessage answer_message(std::uint64_t id, const Answer& answer) {
  if (answer.arrays.empty()) return {false, fmt::format(R"({{"id":{},"answer":{}}})", id, object_of(answer))};
  Json arrays = Json::array();
  for (const auto& array : answer.arrays)
    arrays.push_back({{"name", array.name}, {"type", type_name(array)}, {"count", count_of(array)}});
  const std::string text = fmt::format(R"({{"id":{},"answer":{},"arrays":{}}})", id, object_of(answer), dumped(arrays));
  const auto length = static_cast<std::uint32_t>(text.size());
  DPM_CHECK(length == text.size());
  SocketMessage message{true, std::string(sizeof length, '\0')};
  std::memcpy(message.bytes.data(), &length, sizeof length);
  message.bytes += text;
  pad(message.bytes);
  for (const auto& array : answer.arrays) append_bytes(message.bytes, array);
  return message;
}

SocketMessage error_message(std::uint64_t id, std::string_view sentence) {
  return {false, fmt::format(R"({{"id":{},"error":{}}})", id, dumped(Json(sentence)))};
}

SocketMessage tick_message(const Json& tick) { return {false, fmt::format(R"({{"tick":{}}})", dumped(tick))}; }

std::string error_json(std::string_view sentence) { return fmt::format(R"({{"error":{}}})", dumped(Json(sentence))); }

}  // namespace dpm::view
