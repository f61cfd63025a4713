// Control messages as frames and back, and what is refused of what others send.
#include "control/protocol/control_codec.hpp"

#include <random>
#include <string>

#include "control/protocol/control_fields.hpp"
#include "tests/support/catch.hpp"

namespace dpm::control {
namespace {

// Fills any message with what is allowed in it.
class Filler {
 public:
  explicit Filler(std::mt19937_64& random) : random_(random) {}

  void allow_unknown_fields() {}
  void text(const char*, std::string& value, TextRule rule) {
    value = random_text(rule.may_be_empty ? 0 : 1, std::min<std::size_t>(rule.bytes_max, 40));
  }
  void newer_text(const char* name, std::string& value, TextRule rule) { text(name, value, rule); }
  void texts(const char*, std::vector<std::string>& values, TextRule rule) {
    values.resize(below(4));
    for (auto& value : values) text("", value, rule);
  }
  void digits(const char*, std::string& value, std::size_t count) {
    value.clear();
    while (value.size() < count) value += "0123456789abcdef"[below(16)];
  }
  template <typename Number>
  void number(const char*, Number& value, std::uint64_t least, std::uint64_t most) {
    const bool at_the_edge = below(4) == 0;
    const std::uint64_t wide = at_the_edge ? (below(2) == 0 ? least : most)
                                           : std::uniform_int_distribution<std::uint64_t>(least, most)(random_);
    value = static_cast<Number>(wide);
  }
  void pid(const char*, std::uint32_t& value) { number("", value, 1, 0x7FFFFFFF); }
  void flag(const char*, bool& value) { value = below(2) == 0; }
  template <typename Enum>
  void choice(const char*, Enum& value, std::initializer_list<const char*> names) {
    value = static_cast<Enum>(below(names.size()));
  }
  void meter_flags(const char*, MeterFlags& value) {
    value = {};
    for (const auto type : kEventTypes) value.set(type, below(2) == 0);
    value.set_immediate(below(2) == 0);
  }
  template <typename Object>
  void object(const char*, Object& value) {
    fields(*this, value);
  }
  template <typename Object>
  void object_or_none(const char*, Object& value, bool) {
    if (below(2) == 0) fields(*this, value);
  }
  template <typename Object>
  void objects(const char*, std::vector<Object>& values) {
    values.resize(below(3));
    for (auto& value : values) fields(*this, value);
  }
  void raw(std::string& bytes) {
    bytes.resize(below(300));
    for (auto& byte : bytes) byte = static_cast<char>(below(256));
  }

 private:
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }
  std::string random_text(std::size_t least, std::size_t most) {
    static const std::vector<std::string> kPieces = {
        "a",        "/", " ",  "\"", "\\", "\n", "\x01", "ü", "\xff", "\xed\xa0\x80", "\xf0\x9f\x98\x80",
        "\xc0\xaf", "{", "hex"};
    std::string text;
    const std::size_t length = least + below(most - least + 1);
    while (text.size() < length) text += kPieces[below(kPieces.size())];
    text.resize(length);
    return text;
  }

  std::mt19937_64& random_;
};

std::string bytes_of(const ControlMessage& message) {
  std::string bytes;
  const auto done = append_message(bytes, message);
  INFO((done ? "" : done.error().what));
  REQUIRE(done);
  return bytes;
}

Result<ControlMessage> read_back(const std::string& bytes) {
  FrameReader reader;
  reader.feed(bytes);
  auto frame = reader.next();
  REQUIRE(frame);
  REQUIRE(*frame);
  return decode_message(**frame);
}

template <typename Body, std::size_t... index>
std::vector<Body> one_of_each(std::index_sequence<index...>) {
  return {Body(std::in_place_index<index>)...};
}
template <typename Body>
std::vector<Body> one_of_each() {
  return one_of_each<Body>(std::make_index_sequence<std::variant_size_v<Body>>());
}

template <typename Message, typename Body>
void check_round_trips(std::mt19937_64& random) {
  for (Body body : one_of_each<Body>()) {
    Filler filler(random);
    std::visit([&](auto& message) { fields(filler, message); }, body);
    Message message{};
    message.body = body;
    if constexpr (!std::is_same_v<Message, Report>) message.number = random();
    const std::string bytes = bytes_of(ControlMessage(message));
    const auto back = read_back(bytes);
    INFO((back ? "" : back.error().what));
    REQUIRE(back);
    REQUIRE(std::get<Message>(*back).body.index() == body.index());
    // The fields have no operator==; what is written again from what was read says as much.
    REQUIRE(bytes_of(*back) == bytes);
  }
}

Frame frame_of(std::uint8_t kind, const std::string& text, const std::string& raw = "") {
  Frame frame{kind, ""};
  for (unsigned shift = 0; shift < 32; shift += 8) frame.body.push_back(static_cast<char>(text.size() >> shift & 0xFF));
  frame.body += text + raw;
  return frame;
}

std::string refusal(std::uint8_t kind, const std::string& text, const std::string& raw = "") {
  const auto message = decode_message(frame_of(kind, text, raw));
  return message ? "accepted" : message.error().what;
}

TEST_CASE("control messages: every message comes back as it was sent") {
  std::mt19937_64 random(20260111);
  for (int round = 0; round < 200; ++round) {
    check_round_trips<Request, RequestBody>(random);
    check_round_trips<Reply, ReplyBody>(random);
    check_round_trips<Report, ReportBody>(random);
  }
}

TEST_CASE("control messages: names of files need not be text") {
  const auto back = read_back(bytes_of(Request{3, FindFile{"/tmp/\xff\xfe"}}));
  REQUIRE(back);
  CHECK(std::get<FindFile>(std::get<Request>(*back).body).path == "/tmp/\xff\xfe");
}

TEST_CASE("control messages: a large chunk travels whole, a larger one is not sent") {
  const std::string chunk(kChunkBytesMax, '\xab');
  const auto back = read_back(bytes_of(Request{1, Input{5, chunk, true}}));
  REQUIRE(back);
  const auto& input = std::get<Input>(std::get<Request>(*back).body);
  CHECK(input.bytes == chunk);
  CHECK(input.end);

  std::string out = "before";
  CHECK_FALSE(append_message(out, Request{1, Input{5, chunk + "x", true}}));
  CHECK(out == "before");
}

TEST_CASE("control messages: what the other end would refuse is not sent") {
  std::string out;
  CHECK_FALSE(append_message(out, Request{1, StartProcess{0}}));
  CHECK_FALSE(append_message(out, Request{1, FindFile{""}}));
  CHECK_FALSE(append_message(out, Request{1, FindFile{std::string("a\0b", 3)}}));
  CHECK_FALSE(append_message(out, Request{1, FindFile{std::string(5000, 'a')}}));
  CHECK_FALSE(append_message(
      out, Request{1, AcquireProcess{"job", 7, {}, {{"red"}, 5000, "no secret", "f", false, std::string(32, 'b')}}}));
  CreateProcess create{"job", "name", "file", {},
                       "",    "",     {},     {{"red"}, 5000, std::string(64, 'a'), "f", false, std::string(32, 'b')}};
  CHECK(append_message(out, Request{1, create}));
  out.clear();
  create.arguments.assign(20, std::string(100'000, 'x'));
  const auto too_long = append_message(out, Request{1, create});
  REQUIRE_FALSE(too_long);
  CHECK(too_long.error().what.find("1048576 are allowed") != std::string::npos);
  CHECK(out.empty());
}

TEST_CASE("control messages: an error names the wrong field") {
  CHECK(refusal(kRequestFrame, "{}") == "a control message without a type");
  CHECK(refusal(kRequestFrame, "[1]") == "a control message whose text is not a JSON object");
  CHECK(refusal(kRequestFrame, "{") == "a control message whose text is not a JSON object");
  CHECK(refusal(9, R"({"type":"done","number":1})") == "a frame of kind 9, which is not a control message");
  CHECK(refusal(kRequestFrame, R"({"type":"done","number":1})") == "an unexpected control message 'done'");
  CHECK(refusal(kRequestFrame, R"({"type":"start_process","pid":1})") ==
        "a wrong message 'start_process': 'number' is missing");
  CHECK(refusal(kRequestFrame, R"({"type":"start_process","number":-1,"pid":1})") ==
        "a wrong message 'start_process': 'number' is not a whole number");
  CHECK(refusal(kRequestFrame, R"({"type":"start_process","number":1,"pid":0})") ==
        "a wrong message 'start_process': 'pid' is 0, outside of 1 to 2147483647");
  CHECK(refusal(kRequestFrame, R"({"type":"start_process","number":1,"pid":4294967295})") ==
        "a wrong message 'start_process': 'pid' is 4294967295, outside of 1 to 2147483647");
  CHECK(refusal(kRequestFrame, R"({"type":"start_process","number":1,"pid":1.5})") ==
        "a wrong message 'start_process': 'pid' is not a whole number");
  CHECK(refusal(kRequestFrame, R"({"type":"start_process","number":1,"pid":7,"when":"now"})") ==
        "a wrong message 'start_process': 'when' is an unknown field");
  CHECK(refusal(kRequestFrame, R"({"type":"start_process","number":1,"pid":7})", "x") ==
        "a wrong message 'start_process': 'bytes' follow a message that has none");
  CHECK(refusal(kRequestFrame, R"({"type":"set_flags","number":1,"pid":7,"flags":"sent"})") ==
        "a wrong message 'set_flags': 'flags' is wrong: no meter flag 'sent' (did you mean 'send'?)");
  CHECK(refusal(kRequestFrame, R"({"type":"find_file","number":1,"path":"a\u0000b"})") ==
        "a wrong message 'find_file': 'path' has a zero byte in it");
  CHECK(refusal(kRequestFrame, R"({"type":"find_file","number":1,"path":{"hex":"6"}})") ==
        "a wrong message 'find_file': 'path' is not a text");
  CHECK(refusal(kRequestFrame, R"({"type":"put_file","number":1,"path":"a","mode":2541,"offset":0,"last":true})") ==
        "a wrong message 'put_file': 'mode' is 2541, outside of 0 to 511");
  CHECK(refusal(kReportFrame, R"({"type":"state_changed","pid":1,"state":"dead","reason":""})") ==
        "a wrong message 'state_changed': 'state' is 'dead', which is unknown");
  CHECK(refusal(kReplyFrame, R"({"type":"managed_list","number":1,"managed":[7]})") ==
        "a wrong message 'managed_list': 'managed' is not an object");
  CHECK(refusal(kReplyFrame, R"({"type":"log_files","number":1,"files":{}})") ==
        "a wrong message 'log_files': 'files' is not a list");
}

TEST_CASE("control messages: of a peer of another version we can read the version") {
  const auto hello = decode_message(
      frame_of(kRequestFrame, R"({"type":"hello","number":1,"version":9,"controller":"c","colour":"red"})"));
  REQUIRE(hello);
  CHECK(std::get<Hello>(std::get<Request>(*hello).body).version == 9);
}

TEST_CASE("control messages: lengths that lie are refused") {
  Frame frame = frame_of(kRequestFrame, R"({"type":"list_managed","number":1})");
  CHECK(decode_message(frame));
  frame.body[1] = '\x7f';
  CHECK_FALSE(decode_message(frame));
  CHECK_FALSE(decode_message(Frame{kRequestFrame, ""}));
  CHECK_FALSE(decode_message(Frame{kRequestFrame, "abc"}));
  CHECK_FALSE(decode_message(frame_of(kRequestFrame, std::string(500'000, '['))));
}

}  // namespace
}  // namespace dpm::control
