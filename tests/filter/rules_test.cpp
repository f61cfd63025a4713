#include "filter/rules.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "filter/descriptions.hpp"
#include "tests/filter/source_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

ClassIndex match(const RuleSet& rules, const Event& event) {
  return rules.match(layout_index(event.type), reinterpret_cast<const std::byte*>(&event));
}

RuleSet event_rules(const std::string& text) {
  auto rules = RuleSet::compile("rules", text, event_layouts());
  INFO(text << ": " << (rules ? "" : rules.error().what));
  REQUIRE(rules);
  return *std::move(rules);
}

Event an_event(EventType type) {
  Event event;
  event.type = type;
  event.machine.value = 3;
  event.process.value = 20;
  event.peer.value = 30;
  event.channel.value = 4;
  event.length_bytes = 512;
  return event;
}

// A slow, literal evaluation of a rule, for the property test. It shares only the layouts with the compiler.
struct PlainCondition {
  std::string field, operation, value, other_field;
  bool discards = false, any = false;
};

std::uint64_t plain_number(const RecordField& field, const std::vector<std::byte>& record) {
  std::uint64_t number = 0;
  for (std::uint32_t i = field.length_bytes; i-- > 0;)
    number = number * 256 + std::to_integer<std::uint64_t>(record[field.offset_bytes + i]);
  return number;
}

const RecordField* plain_field(const RecordLayout& layout, const std::string& name) {
  for (const auto& field : layout.fields)
    if (field.name == name) return &field;
  return nullptr;
}

bool plain_compare(std::uint64_t a, const std::string& operation, std::uint64_t b) {
  if (operation == "=") return a == b;
  if (operation == "!=") return a != b;
  if (operation == "<") return a < b;
  if (operation == ">") return a > b;
  if (operation == "<=") return a <= b;
  return a >= b;
}

bool plain_accepts(const std::vector<PlainCondition>& rule, const RecordLayout& layout,
                   const std::vector<std::byte>& record) {
  for (const auto& condition : rule) {
    const RecordField* field = plain_field(layout, condition.field);
    if (field == nullptr) return false;
    if (!condition.other_field.empty() && plain_field(layout, condition.other_field) == nullptr) return false;
  }
  for (const auto& condition : rule) {
    if (condition.any) continue;
    const std::uint64_t left = plain_number(*plain_field(layout, condition.field), record);
    const std::uint64_t right = condition.other_field.empty()
                                    ? std::stoull(condition.value)
                                    : plain_number(*plain_field(layout, condition.other_field), record);
    if (!plain_compare(left, condition.operation, right)) return false;
  }
  return true;
}

std::uint64_t plain_discards(const std::vector<PlainCondition>& rule, const RecordLayout& layout) {
  std::uint64_t set = 0;
  for (std::size_t i = 0; i < layout.fields.size(); ++i)
    for (const auto& condition : rule)
      if (condition.discards && condition.field == layout.fields[i].name) set |= std::uint64_t{1} << i;
  return set;
}

// Layouts with fields of all widths, some shared, all in base 10. Most values are small, so that comparisons are
// undecided.
std::vector<RecordLayout> random_layouts(Random& random) {
  constexpr std::array kWidths = {1u, 2u, 4u, 8u, 3u};
  std::vector<RecordLayout> layouts;
  for (std::uint64_t type = 1; type <= 3; ++type) {
    RecordLayout layout{"E" + std::to_string(type), type, 0, {{"traceType", 0, 2, 10}}};
    std::uint32_t offset = 2;
    for (const std::string name : {"a", "b", "c", "d", "e"}) {
      if (random.chance(.2)) continue;
      const auto width = kWidths[random.below(kWidths.size())];
      layout.fields.push_back({name, offset, width, 10});
      offset += width + static_cast<std::uint32_t>(random.below(2));
    }
    layout.size_bytes = offset;
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

std::vector<std::byte> random_record(Random& random, const RecordLayout& layout) {
  std::vector<std::byte> record(layout.size_bytes);
  for (const auto& field : layout.fields) record[field.offset_bytes] = static_cast<std::byte>(random.below(4));
  if (random.chance(.2))
    for (auto& byte : record) byte = static_cast<std::byte>(random.below(256));
  if (random.chance(.2)) {  // the ends of what fields can be
    for (const auto& field : layout.fields) {
      const bool greatest = random.chance(.5);
      for (std::uint32_t i = 0; i < field.length_bytes; ++i)
        record[field.offset_bytes + i] = greatest ? std::byte{0xff} : std::byte{0};
      if (random.chance(.3)) record[field.offset_bytes] = greatest ? std::byte{0xfe} : std::byte{1};
    }
  }
  record[0] = static_cast<std::byte>(layout.type);
  record[1] = std::byte{0};
  return record;
}

std::vector<PlainCondition> random_rule(Random& random, std::string& text) {
  constexpr std::array kFields = {"a", "b", "c", "d", "e", "traceType"};
  constexpr std::array kOperations = {"=", "!=", "<", ">", "<=", ">="};
  std::vector<PlainCondition> rule;
  const auto conditions = 1 + random.below(3);
  for (std::uint64_t i = 0; i < conditions; ++i) {
    PlainCondition condition;
    condition.field = kFields[random.below(kFields.size())];
    condition.operation = kOperations[random.below(kOperations.size())];
    condition.discards = random.chance(.3);
    condition.any = random.chance(.2);
    if (condition.any) condition.operation = "=";
    if (!condition.any && condition.field != "traceType" && random.chance(.3))
      condition.other_field = kFields[random.below(5)];
    if (condition.field == "traceType" && condition.operation == "=")
      condition.value = std::to_string(1 + random.below(3));
    else
      condition.value = std::to_string(random.chance(.2) ? 254 + random.below(2) : random.below(4));
    text += i == 0 ? "" : (random.chance(.5) ? ", " : " ");
    text += condition.field + condition.operation + (condition.discards ? "#" : "");
    text += condition.any ? "*" : (condition.other_field.empty() ? condition.value : condition.other_field);
    rule.push_back(std::move(condition));
  }
  text += random.chance(.5) ? ";" : "\n";
  return rule;
}

}  // namespace

TEST_CASE("rules: compiled rules decide as a literal reading of them does", "[filter]") {
  Random random(11);
  int compiled = 0, kept = 0, dropped = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto layouts = random_layouts(random);
    std::string text;
    std::vector<std::vector<PlainCondition>> plain;
    const auto count = 1 + random.below(3);
    for (std::uint64_t i = 0; i < count; ++i) plain.push_back(random_rule(random, text));
    const auto rules = RuleSet::compile("rules", text, layouts);
    if (!rules) continue;  // a rule that no layout can satisfy
    ++compiled;
    for (int i = 0; i < 20; ++i) {
      const std::size_t layout = random.below(layouts.size());
      const auto record = random_record(random, layouts[layout]);
      const ClassIndex verdict = rules->match(layout, record.data());
      const auto accepting = std::find_if(
          plain.begin(), plain.end(), [&](const auto& rule) { return plain_accepts(rule, layouts[layout], record); });
      INFO("rules: " << text << "\nrecord of " << layouts[layout].name << ", round " << round);
      if ((verdict != kNotKept) != (accepting != plain.end())) FAIL("one keeps it, the other does not");
      ++(verdict == kNotKept ? dropped : kept);
      if (verdict == kNotKept) continue;
      const RecordClass expected{static_cast<std::uint32_t>(layout), plain_discards(*accepting, layouts[layout])};
      if (!(rules->classes().at(verdict) == expected)) FAIL("they discard different fields");
    }
  }
  CHECK(compiled > 5'000);
  CHECK(kept > 10'000);
  CHECK(dropped > 10'000);
}

TEST_CASE("rules: without rules everything is kept whole", "[filter]") {
  for (const std::string text : {"", " \n // only a comment\n;;\n"}) {
    const RuleSet rules = event_rules(text);
    for (const auto type : kEventTypes) {
      const ClassIndex verdict = match(rules, an_event(type));
      REQUIRE(verdict != kNotKept);
      CHECK(rules.classes()[verdict] == RecordClass{static_cast<std::uint32_t>(layout_index(type)), 0});
    }
  }
}

TEST_CASE("rules: a process is called fromTask or toTask by what it did, and pid by all", "[filter]") {
  const RuleSet rules = event_rules("type=Send, fromTask=20, toTask=30; type=Receive, toTask=20, fromTask=30, pid=20");
  CHECK(match(rules, an_event(EventType::send)) != kNotKept);
  CHECK(match(rules, an_event(EventType::receive)) != kNotKept);
  CHECK(match(rules, an_event(EventType::message_queued)) == kNotKept);
}

TEST_CASE("rules: types go by number, by any of their names, and in any case", "[filter]") {
  for (const std::string value : {"1", "0x1", "Send", "SEND", "sendmessage", "SENDMESSAGE"})
    for (const std::string field : {"type", "traceType"}) {
      const RuleSet rules = event_rules(fmt::format("{}={}", field, value));
      CHECK(match(rules, an_event(EventType::send)) != kNotKept);
      CHECK(match(rules, an_event(EventType::receive)) == kNotKept);
    }
  const RuleSet range = event_rules("type>=CreatePath, type≠6, type <= 7");
  CHECK(match(range, an_event(EventType::create_path)) != kNotKept);
  CHECK(match(range, an_event(EventType::destroy_path)) == kNotKept);
  CHECK(match(range, an_event(EventType::start_process)) == kNotKept);
}

TEST_CASE("rules: the least signed number is one, and what is beyond either end does not fit", "[filter]") {
  Event event = an_event(EventType::send);
  event.local_time.ns = std::numeric_limits<std::int64_t>::min();
  CHECK(match(event_rules("time=-9223372036854775808"), event) != kNotKept);
  CHECK(match(event_rules("time>-9223372036854775808"), event) == kNotKept);
  for (const auto* text : {"time=-9223372036854775809", "time=9223372036854775808"}) {
    const auto rules = RuleSet::compile("rules", text, event_layouts());
    REQUIRE_FALSE(rules);
    CHECK(rules.error().what == "rules:1: " + std::string(text).substr(5) + " does not fit field 'time' of 8 bytes");
  }
  CHECK(RuleSet::compile("rules", "evidence=300", event_layouts()).error().what ==
        "rules:1: 300 does not fit field 'evidence' of 1 byte");
}

TEST_CASE("rules: signed times, bases and the operators as the thesis prints them", "[filter]") {
  Event event = an_event(EventType::send);
  event.local_time.ns = -5;
  event.pc = 0x1f;
  CHECK(match(event_rules("time<0, time≥-5, time≠-6, time≤-5"), event) != kNotKept);
  CHECK(match(event_rules("time>-5"), event) == kNotKept);
  CHECK(match(event_rules("pc=1f"), event) != kNotKept);
  CHECK(match(event_rules("pc=0x1F"), event) != kNotKept);
  CHECK(match(event_rules("msgLength=0x200"), event) != kNotKept);
}

TEST_CASE("rules: all printed forms of 'any value, and discard' mean the same", "[filter]") {
  for (const std::string value : {"#*", "**", "##"}) {
    const RuleSet rules = event_rules("type=Send, channel=" + value);
    const ClassIndex verdict = match(rules, an_event(EventType::send));
    REQUIRE(verdict != kNotKept);
    const auto& fields = event_layouts()[0].fields;
    for (std::size_t i = 0; i < fields.size(); ++i)
      CHECK(rules.classes()[verdict].has(i) == (fields[i].name != "channel"));
  }
}

TEST_CASE("rules: a value can be asked for and its field discarded", "[filter]") {
  const RuleSet rules = event_rules("type=Send, machine=#3");
  Event event = an_event(EventType::send);
  REQUIRE(match(rules, event) != kNotKept);
  CHECK(rules.classes()[match(rules, event)].discarded_fields != 0);
  event.machine.value = 4;
  CHECK(match(rules, event) == kNotKept);
}

TEST_CASE("rules: the first rule that accepts decides what is discarded", "[filter]") {
  const RuleSet rules = event_rules("machine=3, code=#*; machine=*");
  Event event = an_event(EventType::send);
  CHECK(rules.classes()[match(rules, event)].discarded_fields != 0);
  event.machine.value = 4;
  CHECK(rules.classes()[match(rules, event)].discarded_fields == 0);
  // Only messages have a code, so other events fall to the second rule.
  CHECK(rules.classes()[match(rules, an_event(EventType::create_path))].discarded_fields == 0);
}

TEST_CASE("rules: the standard rules of the thesis load for our events and for DEMOS/MP's", "[filter]") {
  const auto demos = parse_descriptions("demos.desc", file_text(source_path("filter/descriptions/demos.desc"))).value();
  for (const std::string name : {"message_statistics", "message_queues", "parallelism"}) {
    const std::string path = source_path(fmt::format("filter/templates/{}.rules", name));
    const std::string text = file_text(path);
    REQUIRE(!text.empty());
    const auto ours = RuleSet::compile(path, text, event_layouts());
    INFO((ours ? "" : ours.error().what));
    REQUIRE(ours);
    CHECK(match(*ours, an_event(EventType::send)) != kNotKept);
    CHECK((match(*ours, an_event(EventType::message_queued)) != kNotKept) == (name == "message_queues"));
    CHECK(match(*ours, an_event(EventType::create_process)) == kNotKept);
    const auto theirs = RuleSet::compile(path, text, demos.records);
    INFO((theirs ? "" : theirs.error().what));
    REQUIRE(theirs);
    const auto& layout = demos.records.at(0);
    const auto& send = theirs->classes().at(0);
    for (std::size_t i = 0; i < layout.fields.size(); ++i)
      if (layout.fields[i].name == "sendLink" || layout.fields[i].name == "passLink") CHECK_FALSE(send.has(i));
  }
}

TEST_CASE("rules: the rules printed in the documents load word for word", "[filter]") {
  const auto load = [](const std::string& file) {
    return parse_descriptions(file, file_text(source_path("filter/descriptions/" + file))).value().records;
  };
  const auto check = [](const char* text, const std::vector<RecordLayout>& layouts) {
    const auto rules = RuleSet::compile("rules", text, layouts);
    INFO(text << (rules ? "" : rules.error().what));
    CHECK(rules);
  };
  // Thesis figures 3.4 (whose second rule has a field, channel1, that no event has) and 3.5, and section 5.2.2
  // and 5.2.3.
  check("machine=3, traceType=1, time>10000;\nmachine=1, type=1, fromTask=20003, toTask=30003 channel=0;",
        load("demos.desc"));
  check("machine=*, traceType=1, time=**, procTime=**, code=**;\ntype=8, readTask=writeTask, size>1024;",
        load("demos.desc"));
  check(
      "traceType=Send, channel=**, code=**, sendLink=**, passLink=**;\n"
      "traceType=Receive, channel=**, code=**, passLink=**;\ntraceType=ReceiveCall;\n"
      "traceType=MessageQueued, channel=**, code=**;",
      load("demos.desc"));
  check("traceType=Send, sendLink=##, passLink=##;\ntraceType=Receive, passLink=##;", load("demos.desc"));
  // Metering report figures 3.3 and 3.4.
  check("machine=5, cpuTime<10000\nmachine=0, type=1, sock=4, destName=228320140\n", load("unix.desc"));
  check("machine=*, type=1, pid=*, size>=512\ntype=6, sockName=peerName\n", load("unix.desc"));
}

TEST_CASE("rules: names of any length are compared as numbers, first byte least", "[filter]") {
  const auto unix_records =
      parse_descriptions("unix.desc", file_text(source_path("filter/descriptions/unix.desc"))).value().records;
  const auto accept = std::find_if(unix_records.begin(), unix_records.end(),
                                   [](const auto& layout) { return layout.name == "ACCEPT"; });
  const auto number = static_cast<std::size_t>(accept - unix_records.begin());
  std::vector<std::byte> record(accept->size_bytes);
  const auto verdict = [&](const std::string& text) {
    return RuleSet::compile("rules", text, unix_records).value().match(number, record.data()) != kNotKept;
  };
  const std::uint32_t name = find_field(*accept, "sockName")->offset_bytes;
  record[name] = std::byte{0x34};
  record[name + 1] = std::byte{0x12};
  CHECK(verdict("sockName=1234"));
  CHECK(verdict("sockName>1233, sockName<1235"));
  CHECK_FALSE(verdict("sockName=peerName"));
  record[name + 15] = std::byte{1};
  CHECK(verdict("sockName=01000000000000000000000000001234"));
  CHECK(verdict("sockName>ffffffffffffffff"));
}
