// Frames: complete, cut anywhere, and broken.
#include "control/transport/frames/frame.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

std::string frame_bytes(std::uint8_t kind, std::string_view body) {
  std::string bytes;
  append_frame(bytes, kind, body);
  return bytes;
}

std::string error_after(const std::string& bytes, std::size_t body_bytes_max = 100) {
  FrameReader reader(body_bytes_max);
  reader.feed(bytes);
  const auto frame = reader.next();
  return frame ? "" : frame.error().what;
}

TEST_CASE("frames come out as they went in, however they are cut") {
  std::string bytes;
  const std::string long_body(70'000, 'x');
  append_frame(bytes, 1, "one");
  append_frame(bytes, 2, "");
  append_frame(bytes, 255, long_body);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, bytes.size()}) {
    FrameReader reader;
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.feed(std::string_view(bytes).substr(at, piece));
      for (auto frame = reader.next(); frame.value().has_value(); frame = reader.next()) frames.push_back(**frame);
    }
    REQUIRE(frames.size() == 3);
    CHECK(frames[0].kind == 1);
    CHECK(frames[0].body == "one");
    CHECK(frames[1].body.empty());
    CHECK(frames[2].kind == 255);
    CHECK(frames[2].body == long_body);
    CHECK_FALSE(reader.is_inside_frame());
  }
}

TEST_CASE("a frame that has begun and not ended is known as such") {
  FrameReader reader;
  reader.feed(frame_bytes(1, "body").substr(0, 10));
  CHECK_FALSE(reader.next().value().has_value());
  CHECK(reader.is_inside_frame());
}

TEST_CASE("what is not a frame breaks the connection, and stays broken") {
  CHECK(error_after(std::string("\xff\xff\xff\x7f\x01\x01\x00\x00", 8)).find("2147483647 bytes") != std::string::npos);
  CHECK(error_after(std::string("\x00\x00\x00\x00\x07\x01\x00\x00", 8)).find("version 7") != std::string::npos);
  CHECK(error_after("GET / HTTP/1.1\r\n\r\n").starts_with("text came, \"GET / HTTP/1.1\", where frames"));
  CHECK(error_after(std::string("\x00\x00\x00\x00\x01\x01\x01\x00", 8)) == "the data is not a frame");
  CHECK(error_after(frame_bytes(1, std::string(101, 'x'))).find("of which 100 are allowed") != std::string::npos);

  FrameReader reader;
  reader.feed("not a frame at all");
  CHECK_FALSE(reader.next().has_value());
  reader.feed(frame_bytes(1, "good"));
  CHECK_FALSE(reader.next().has_value());
}

}  // namespace
}  // namespace dpm
