#include "filter/descriptions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/filter/source_files.hpp"
#include "tests/support/catch.hpp"
#include "trace/event_fields.hpp"
#include "trace/meter_message.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

Descriptions parse(const std::string& text) {
  auto descriptions = parse_descriptions("test.desc", text);
  INFO((descriptions ? "" : descriptions.error().what));
  REQUIRE(descriptions);
  return *std::move(descriptions);
}

Descriptions shipped(const std::string& file) { return parse(file_text(source_path("filter/descriptions/" + file))); }

std::string shown(const RecordLayout& layout) {
  std::string text = fmt::format("{} {} [{}]", layout.name, layout.type, layout.size_bytes);
  for (const auto& field : layout.fields)
    text += fmt::format(" {},{},{},{}", field.name, field.offset_bytes, field.length_bytes, field.base);
  return text;
}

}  // namespace

TEST_CASE("descriptions: thesis figure 3.3 as it is printed", "[filter]") {
  const auto figure = parse(
      "header 0.      machine,0,4,16\n                  machine,0,4,16\ntraceType,4,4,10\ntime,8,4,10\n"
      "procTime,12,4,10;\nSENDMESSAGE 1.\nfromTask,0,4,16\ntoTask,4,4,16\nchannel,8,4,10\ncode,12,4,10\n"
      "sendLink,16,4,10\npassLink,20,4,10;\n");
  REQUIRE(figure.records.size() == 1);
  CHECK(figure.header_bytes == 16);
  CHECK(
      shown(figure.records[0]) ==
      "SENDMESSAGE 1 [40] machine,0,4,16 traceType,4,4,10 time,8,4,10 procTime,12,4,10 fromTask,16,4,16 toTask,20,4,16 "
      "channel,24,4,10 code,28,4,10 sendLink,32,4,10 passLink,36,4,10");
  CHECK(shown(shipped("demos.desc").records[0]) == shown(figure.records[0]));
}

TEST_CASE("descriptions: metering report figure 3.2 as it is printed, with the report's header", "[filter]") {
  const auto figure = parse(
      "HEADER\n    size\n    machine\n    cpuTime\n    procTime\n    traceType\n\nSEND 1,\n    pid,0,4,10\n    "
      "pc,4,4,10\n"
      "    sock,8,4,10\n    msgLength,12,4,10\n    destNameLen,16,4,10\n    destName,20,16,16\n");
  REQUIRE(figure.records.size() == 1);
  CHECK(figure.header_bytes == 24);
  CHECK(
      shown(figure.records[0]) ==
      "SEND 1 [60] size,0,4,10 machine,4,2,10 cpuTime,8,4,10 procTime,16,4,10 traceType,20,4,10 pid,24,4,10 pc,28,4,10 "
      "sock,32,4,10 msgLength,36,4,10 destNameLen,40,4,10 destName,44,16,16");
  CHECK(shown(shipped("unix.desc").records[0]) == shown(figure.records[0]));
}

TEST_CASE("descriptions: several entries on a line, in any order, with comments", "[filter]") {
  const auto parsed = parse("header 0. traceType,4,4,10; machine,0,4,16 // two\nA 1 y,4,2,8; x,0,4,2\nB 2:\n");
  REQUIRE(parsed.records.size() == 2);
  CHECK(shown(parsed.records[0]) == "A 1 [14] machine,0,4,16 traceType,4,4,10 x,8,4,2 y,12,2,8");
  CHECK(shown(parsed.records[1]) == "B 2 [8] machine,0,4,16 traceType,4,4,10");
}

TEST_CASE("descriptions: the shipped files describe every event type", "[filter]") {
  const auto described = [](const std::string& file) {
    std::vector<EventType> types;
    for (const auto& layout : shipped(file).records)
      if (const auto type = event_type_from_name(layout.name)) types.push_back(*type);
    return types;
  };
  CHECK(described("dpm.desc") == std::vector<EventType>(kEventTypes.begin(), kEventTypes.end()));
  const auto after_demos = std::find(kEventTypes.begin(), kEventTypes.end(), EventType::accept);  // UNIX only from here
  CHECK(described("demos.desc") == std::vector<EventType>(kEventTypes.begin(), after_demos));
  CHECK(described("unix.desc") == std::vector{EventType::send, EventType::receive_call, EventType::receive,
                                              EventType::socket, EventType::connect, EventType::accept, EventType::dup,
                                              EventType::create_process, EventType::destroy_path,
                                              EventType::destroy_process});
}

TEST_CASE("descriptions: dpm.desc describes exactly the bytes that meters write", "[filter]") {
  const auto ours = shipped("dpm.desc");
  CHECK(carries_events(ours.records));
  CHECK_FALSE(carries_events(shipped("demos.desc").records));
  for (const auto& layout : ours.records) {
    Event event;
    event.type = event_type_from_name(layout.name).value();
    CHECK(static_cast<std::uint64_t>(event.type) == layout.type);
    for (const auto& field : layout.fields) {
      // Setting a member must change the bytes that the description calls by that member's name, and no others.
      Event changed = event;
      if (field.name != "size" && field.name != "traceType") {
        const MemberPlace place = place_of(member_named(event.type, field.name).value());
        CHECK(place.length_bytes == field.length_bytes);
        auto* bytes = reinterpret_cast<unsigned char*>(&changed) + place.offset_bytes;
        for (std::uint32_t i = 0; i < place.length_bytes; ++i) bytes[i] = static_cast<unsigned char>(~bytes[i]);
      }
      const auto before = encode_meter_message(event), after = encode_meter_message(changed);
      for (std::size_t i = 0; i < before.size(); ++i) {
        const bool inside = i >= field.offset_bytes && i < field.offset_bytes + field.length_bytes;
        const bool is_fixed = field.name == "size" || field.name == "traceType";
        INFO(layout.name << " " << field.name << " byte " << i);
        CHECK((before[i] != after[i]) == (inside && !is_fixed));
      }
    }
    const auto message = encode_meter_message(event);
    CHECK(std::to_integer<int>(message[0]) == 84);
    CHECK(std::to_integer<std::uint64_t>(message[8]) == layout.type);
  }
}
