// Names where viewers of CTF show them.
#include "trace/ctf_names.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "model/utf8.hpp"
#include "tests/trace/babeltrace.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

Event send(std::uint32_t from, std::uint32_t to) {
  Event event;
  event.type = EventType::send;
  event.process.value = from;
  event.peer.value = to;
  event.channel.value = 0;
  event.machine.value = 0;
  return event;
}

std::string metadata_of(const std::string& directory) {
  std::ifstream file(directory + "/ctf/metadata");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("ctf names: a literal is one line of UTF-8, whatever the name is", "[trace]") {
  CHECK(ctf_literal("redis-server") == R"("redis-server")");
  CHECK(ctf_literal(R"(a "b" \n c)") == R"("a \"b\" \\n c")");
  CHECK(ctf_literal("two\nlines\ttab\x7f") == R"("two lines tab ")");
  CHECK(ctf_literal("gr\xC3\xBC\xC3\x9F") == "\"gr\xC3\xBC\xC3\x9F\"");
  CHECK(ctf_literal("cut \xC3") == "\"cut \xEF\xBF\xBD\"");
  CHECK(ctf_literal("\xFF\xFE") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
  CHECK(ctf_literal(std::string(4096, 'x')) == "\"" + std::string(kCtfNameBytesMax, 'x') + "...\"");
  // A character is not cut in two.
  const std::string odd = "x" + [] {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "\xC3\xBC";
    return text;
  }();
  CHECK(is_utf8(ctf_literal(odd)));
  CHECK(ctf_literal(odd).size() < kCtfNameBytesMax + 10);
}

TEST_CASE("ctf names: babeltrace2 shows any name, and reads every record", "[trace]") {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"a \"quoted\" name", R"(a \"quoted\" name)"},
      {"back\\slash \\\" \\x41 \\", ""},
      {"two\nlines", "two lines"},
      {std::string(4096, 'n'), std::string(kCtfNameBytesMax, 'n') + "..."},
      {"not UTF-8: \xFF\xC0", ""},
      {"*/ }; env { } /*", "*/ }; env { } /*"},
      {"%s %n $(x) '", R"(%s %n $(x) \')"},
      {std::string("zero\0byte", 9), "zero byte"},
      {"same", "same"},
      {"same", "same"},
      {"none", "none"},
      {"", "<unknown>"},
  };
  TraceInfo info = small_info(1, names.size(), 1);
  for (std::size_t i = 0; i < names.size(); ++i) info.processes[i].name = names[i].first;
  info.machines[0].name = "\"; } red\\";
  info.channels[0].name = "";
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < names.size(); ++i) events.push_back(send(i, 0));
  const TemporaryFolder folder;
  write_trace(folder / "trace", info, events);
  const auto lines = babeltrace(folder / "trace");
  REQUIRE(lines.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    INFO(lines[i]);
    CHECK_THAT(lines[i], Catch::Contains(fmt::format(" : container = {} ), toTask", i)));
    if (!names[i].second.empty()) CHECK_THAT(lines[i], Catch::Contains(names[i].second));
  }
  // A channel without a name has that of its receiver.
  CHECK_THAT(lines[0], Catch::Contains(R"(channel = ( "to a \"quoted\" name" : container = 0 ))"));
}

TEST_CASE("ctf names: a trace that is being recorded has numbers, and its records stay as they are", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 2, 1);
  const std::vector<RuleSet> rules(1, RuleSet::keep_all(event_layouts()));
  auto writer = TraceWriter::create(folder / "trace", describe_events(info.filters, rules)).value();
  writer->on_begin(info);
  const Event event = send(1, 0);
  const Verdict kept{0, 0};
  writer->on_records(std::span(&event, 1), std::span(&kept, 1));
  writer->checkpoint();
  const auto while_recording = babeltrace(folder / "trace");
  REQUIRE(while_recording.size() == 1);
  CHECK_THAT(while_recording[0], Catch::Contains("fromTask = 1, toTask = 0"));
  const auto bytes = std::filesystem::file_size(folder / "trace/ctf/machine_0_filter_0");

  Ledger ledger;
  ledger.seen = ledger.kept = 1;
  writer->on_end(ledger);
  REQUIRE(writer->status().has_value());
  const auto finished = babeltrace(folder / "trace");
  REQUIRE(finished.size() == 1);
  CHECK_THAT(finished[0], Catch::Contains(R"(fromTask = ( "p1" : container = 1 ), toTask = ( "p0" : container = 0 ))"));
  CHECK(std::filesystem::file_size(folder / "trace/ctf/machine_0_filter_0") == bytes);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "trace/ctf")) files += entry.is_regular_file();
  CHECK(files == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "trace/metadata.new"));
}

TEST_CASE("ctf names: several machines and filters, some fields discarded", "[trace]") {
  TraceInfo info = small_info(3, 9, 5);
  info.filters = {"first", "second"};
  for (std::size_t i = 0; i < info.processes.size(); ++i) info.processes[i].filter = i % 2;
  std::vector<RuleSet> rules;
  rules.push_back(RuleSet::compile("first", "type=Send, fromTask=#*; type=Receive", event_layouts()).value());
  rules.push_back(RuleSet::keep_all(event_layouts()));
  const TemporaryFolder folder;
  const Ledger ledger = write_trace(folder / "trace", info, random_events(5, 3'000, info), std::move(rules));
  const auto lines = babeltrace(folder / "trace");
  CHECK(lines.size() == ledger.kept);
  for (const auto& line : lines) {
    INFO(line);
    CHECK(line.find("<unknown>") == std::string::npos);
  }
}

TEST_CASE("ctf names: what comes after the first thousand has its number", "[trace]") {
  TraceInfo info = small_info(1, kCtfNamesMost + 2, 1);
  const auto last_named = static_cast<std::uint32_t>(kCtfNamesMost - 1);
  const std::vector<Event> events = {send(last_named, last_named + 1)};
  const TemporaryFolder folder;
  write_trace(folder / "trace", info, events);
  const auto lines = babeltrace(folder / "trace");
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::Contains(fmt::format(R"(fromTask = ( "p{0}" : container = {0} ))", last_named)));
  CHECK_THAT(lines[0], Catch::Contains(fmt::format("toTask = ( <unknown> : container = {} )", last_named + 1)));
}

TEST_CASE("ctf names: the more fields, the fewer names", "[trace]") {
  CHECK(ctf_names_most(0) == kCtfNamesMost);
  CHECK(ctf_names_most(50) == kCtfNamesMost);
  CHECK(ctf_names_most(1'000) == 300);
  CHECK(ctf_names_most(1'000'000) == 0);

  TraceInfo info = small_info(40, 2'000, 1);
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < 40; ++i) {
    events.push_back(send(i, i + 1));
    events.back().machine.value = static_cast<std::uint16_t>(i);
  }
  const TemporaryFolder folder;
  write_trace(folder / "trace", info, events);
  const std::string metadata = metadata_of(folder / "trace");
  CHECK_THAT(metadata, Catch::Contains("\"p40\" = 40,"));
  CHECK(metadata.find("\"p999\" = 999,") == std::string::npos);
}

TEST_CASE("ctf names: without names there are plain numbers", "[trace]") {
  TraceInfo nameless;
  nameless.processes.resize(3);
  nameless.channels.resize(2);
  const CtfNames names(nameless, 10);
  CHECK(names.declarations().empty());
  for (const EventMember member : {EventMember::process, EventMember::channel, EventMember::machine})
    CHECK_FALSE(names.type_of(member).has_value());
}
