#include "view/answers/answer.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/view/answers/message_decoder.hpp"

using namespace dpm;
using namespace dpm::view;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <typename Value>
AnswerArray random_array(std::mt19937& random, const std::string& name) {
  std::vector<Value> values(random() % 12);
  for (auto& value : values) value = static_cast<Value>(random() % 256) / static_cast<Value>(2);
  return {name, values};
}

Answer random_answer(std::mt19937& random) {
  Answer answer;
  answer.json["text"] = std::string(random() % 20, 'x');
  const std::size_t count = 1 + random() % 5;
  for (std::size_t number = 0; number < count; ++number) {
    const std::string name = "array" + std::to_string(number);
    switch (random() % 4) {
      case 0:
        answer.arrays.push_back(random_array<double>(random, name));
        break;
      case 1:
        answer.arrays.push_back(random_array<float>(random, name));
        break;
      case 2:
        answer.arrays.push_back(random_array<std::uint32_t>(random, name));
        break;
      default:
        answer.arrays.push_back(random_array<std::uint8_t>(random, name));
    }
  }
  return answer;
}

std::vector<double> values_of(const AnswerArray& array) {
  return std::visit([](const auto& values) { return std::vector<double>(values.begin(), values.end()); }, array.values);
}

}  // namespace

TEST_CASE("answers: without arrays an answer is a text with its id", "[answers]") {
  const auto message = answer_message(7, {{{"span_s", 1.5}}, {}});
  CHECK_FALSE(message.is_binary);
  CHECK(message.bytes == R"({"id":7,"answer":{"span_s":1.5}})");
}

TEST_CASE("answers: errors and ticks are texts", "[answers]") {
  CHECK(error_message(8, "no process \"a\"").bytes == R"({"id":8,"error":"no process \"a\""})");
  CHECK(tick_message({{"version", 3}}).bytes == R"({"tick":{"version":3}})");
  CHECK(error_json("why") == R"({"error":"why"})");
}

TEST_CASE("answers: the bytes of a binary message are those of the documented format", "[answers]") {
  const Answer answer{{{"a", 1}}, {{"u", std::vector<std::uint32_t>{1, 258}}, {"b", std::vector<std::uint8_t>{9}}}};
  const auto message = answer_message(1, answer);
  CHECK(message.is_binary);
  const std::string json =
      R"({"id":1,"answer":{"a":1},"arrays":[{"name":"u","type":"u32","count":2},{"name":"b","type":"u8","count":1}]})";
  std::string expected = {static_cast<char>(json.size()), 0, 0, 0};
  expected += json;
  while (expected.size() % 8 != 0) expected += '\0';
  expected += std::string("\1\0\0\0\2\1\0\0", 8) + std::string("\11\0\0\0\0\0\0\0", 8);
  CHECK(message.bytes == expected);
}

TEST_CASE("answers: what a decoder reads from a message is what was put into it", "[answers]") {
  for (unsigned seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const Answer answer = random_answer(random);
    const auto decoded = dpm::test::decode_message(answer_message(seed, answer).bytes);
    CHECK(decoded.json["id"] == seed);
    CHECK(decoded.json["answer"]["text"] == answer.json["text"]);
    const auto as_json = nlohmann::json::parse(to_json(answer));
    CHECK(as_json["text"] == answer.json["text"]);
    REQUIRE(decoded.arrays.size() == answer.arrays.size());
    for (const auto& array : answer.arrays) {
      CHECK(decoded.arrays.at(array.name) == values_of(array));
      CHECK(as_json[array.name].get<std::vector<double>>() == values_of(array));
    }
  }
}

TEST_CASE("answers: as JSON, numbers that are not finite are null, and all others are exact", "[answers]") {
  const double third = 1.0 / 3, tiny = 5e-324, large = 1.7976931348623157e308;
  const Answer answer{Json::object(),
                      {{"v", std::vector<double>{kNaN, INFINITY, -INFINITY, third, tiny, large, -2}},
                       {"f", std::vector<float>{NAN, 0.1f}},
                       {"e", std::vector<std::uint8_t>{}}}};
  const auto json = nlohmann::json::parse(to_json(answer));
  for (int place : {0, 1, 2}) CHECK(json["v"][place].is_null());
  CHECK(json["v"][3] == third);
  CHECK(json["v"][4] == tiny);
  CHECK(json["v"][5] == large);
  CHECK(json["v"][6] == -2);
  CHECK(json["f"][0].is_null());
  CHECK(json["f"][1].get<float>() == 0.1f);
  CHECK(json["e"].empty());
  CHECK(to_json({}) == "{}");
}

TEST_CASE("answers: NaN travels as NaN in a binary message", "[answers]") {
  const auto decoded = dpm::test::decode_message(answer_message(1, {{}, {{"v", std::vector<double>{kNaN}}}}).bytes);
  CHECK(std::isnan(decoded.arrays.at("v")[0]));
}

TEST_CASE("answers: bytes that are not UTF-8 are replaced, in every form", "[answers]") {
  const std::string name = "a\xff\xc3z", replaced = "a\xef\xbf\xbd\xef\xbf\xbdz";
  const Answer answer{{{"name", name}}, {{"v", std::vector<double>{1}}}};
  CHECK(nlohmann::json::parse(to_json(answer))["name"] == replaced);
  CHECK(dpm::test::decode_message(answer_message(1, answer).bytes).json["answer"]["name"] == replaced);
  CHECK(nlohmann::json::parse(answer_message(1, {{{"name", name}}, {}}).bytes)["answer"]["name"] == replaced);
  CHECK(nlohmann::json::parse(error_message(1, name).bytes)["error"] == replaced);
  CHECK(nlohmann::json::parse(tick_message({{"name", name}}).bytes)["tick"]["name"] == replaced);
}
