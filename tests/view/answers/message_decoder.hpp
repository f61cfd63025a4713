// Reads binary messages as the page does, from the description in docs/live-page.md alone.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/check.hpp"

namespace dpm::test {

struct DecodedMessage {
  nlohmann::json json;
  std::map<std::string, std::vector<double>> arrays;
};

inline std::size_t rounded_up(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

inline double element(const std::string& type, const char* at) {
  const auto read = [at](auto value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  };
  if (type == "f64") return read(double{});
  if (type == "f32") return read(float{});
  if (type == "u32") return read(std::uint32_t{});
  DPM_CHECK(type == "u8");
  return read(std::uint8_t{});
}

inline DecodedMessage decode_message(const std::string& bytes) {
  const std::map<std::string, std::size_t> sizes = {{"f64", 8}, {"f32", 4}, {"u32", 4}, {"u8", 1}};
  DPM_CHECK(bytes.size() >= 4 && bytes.size() % 8 == 0);
  std::size_t length = 0;
  for (int byte = 3; byte >= 0; --byte) length = length * 256 + static_cast<unsigned char>(bytes[byte]);
  DecodedMessage message{nlohmann::json::parse(bytes.substr(4, length)), {}};
  std::size_t at = rounded_up(4 + length);
  for (const auto& array : message.json["arrays"]) {
    const std::size_t size = sizes.at(array["type"]), count = array["count"];
    auto& values = message.arrays[array["name"]];
    for (std::size_t number = 0; number < count; ++number)
      values.push_back(element(array["type"], bytes.data() + at + number * size));
    for (std::size_t pad = at + count * size; pad < at + rounded_up(count * size); ++pad) DPM_CHECK(bytes[pad] == 0);
    at += rounded_up(count * size);
  }
  DPM_CHECK(at == bytes.size());
  return message;
}

}  // namespace dpm::test
