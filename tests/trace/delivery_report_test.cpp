#include "trace/delivery_report.hpp"

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

constexpr std::uint64_t kInLog = 50;

// The log of a filter that was killed, or was copied while the filter was at work.
void write_unfinished(const std::string& log) {
  const auto info = small_info(2, 3, 4);
  const auto events = random_events(1, kInLog, info);
  std::vector<RuleSet> rules;
  rules.push_back(RuleSet::compile("test", "", event_layouts()).value());
  std::filesystem::create_directory(log);
  auto writer = TraceWriter::create(log + "/trace", describe_events({"filter"}, rules)).value();
  EventFilter filter(std::move(rules), *writer);
  filter.on_begin(info);
  filter.on_events(events);
  writer->checkpoint();
}

DeliveryReport report_of(std::uint64_t delivered, const FilterAccount& account, const std::string& filter_ended = "") {
  DeliveryReport report;
  report.program = "dpm";
  report.filter_pid = 17;
  report.filter_ended = filter_ended;
  report.is_standard = true;
  report.account = account;
  report.meters = {{{"red", 4, "foo", "A"}, true, false, delivered - 10, delivered - 10, {}},
                   {{"green", 5, "foo", "B"}, false, true, 12, 10, {{"there was no room", 2}}}};
  return report;
}

Ledger ledger_with(const std::string& log, const DeliveryReport& report) {
  std::ofstream(log + "/" + kDeliveryName) << to_json(report);
  auto reader = TraceReader::open(log).value();
  reader.read([](std::span<const Event>) {});
  return reader.ledger();
}

}  // namespace

TEST_CASE("trace: what was delivered to a filter and is not in its log is lost, with the reason", "[trace]") {
  const TemporaryFolder folder;
  const std::string log = folder / "log";
  write_unfinished(log);
  struct Case {
    DeliveryReport report;
    std::uint64_t filtered;
    std::vector<Loss> losses;  // before those of meters
  };
  const std::vector<Case> cases = {
      {report_of(kInLog, {}), 0, {}},
      {report_of(kInLog - 5, {}), 0, {}},  // older than the log
      {report_of(1000, {"No space left on device", 900, 0}),
       0,
       {{"delivered to the filter, which could not write them: No space left on device", 950}}},
      {report_of(1000, {"No space left on device", 900, 30}),
       30,
       {{"delivered to the filter, which could not write them: No space left on device", 920}}},
      {report_of(1000, {"", 900, 0}),
       0,
       {{"delivered to the filter, which could not write them", 900},
        {"delivered to the filter, and not in its log when that was fetched", 50}}},
      {report_of(1000, {"", 950, 0}), 0, {{"delivered to the filter, which could not write them", 950}}},
      {report_of(1000, {}, "signal 9 (Killed)"),
       0,
       {{"delivered to the filter, which had not written them when it ended: signal 9 (Killed)", 950}}},
  };
  for (const auto& one : cases) {
    INFO(to_json(one.report));
    const Ledger ledger = ledger_with(log, one.report);
    CHECK(ledger.balanced());
    CHECK(ledger.kept == kInLog);
    CHECK(ledger.filtered == one.filtered);
    REQUIRE(ledger.losses.size() == one.losses.size() + 1);
    for (std::size_t i = 0; i < one.losses.size(); ++i) {
      CHECK(ledger.losses[i].reason == one.losses[i].reason);
      CHECK(ledger.losses[i].events == one.losses[i].events);
    }
    CHECK(ledger.losses.back().reason == "the meter of process 5 (B) on green: there was no room");
    CHECK(ledger.losses.back().events == 2);
    REQUIRE(!ledger.warnings.empty());
    CHECK(ledger.warnings[0].ends_with("later events are not known"));
  }
}

TEST_CASE("trace: deliveries to another filter than the standard one, whose log may be anything, are not compared",
          "[trace]") {
  const TemporaryFolder folder;
  const std::string log = folder / "log";
  write_unfinished(log);
  DeliveryReport report = report_of(1000, {});
  report.is_standard = false;
  CHECK(ledger_with(log, report).lost == 0);
}

TEST_CASE("trace: a report of deliveries is read as it was written, and a damaged one refused", "[trace]") {
  const auto report = report_of(1000, {"No space left on device", 900, 30}, "exit status 1");
  const std::string text = to_json(report);
  const auto read = delivery_report_from_json("delivered.json", text);
  REQUIRE(read);
  CHECK(to_json(*read) == text);
  CHECK(read->account == report.account);
  for (std::size_t length = 0; length + 2 < text.size(); ++length)
    CHECK(!delivery_report_from_json("delivered.json", text.substr(0, length)));
  for (const char* wrong : {"[]", "{}", "{\"format\": \"dpm-delivery\", \"version\": 2}",
                            "{\"format\": \"dpm-delivery\", \"version\": 1, \"state\": \"finished\"}"})
    CHECK(!delivery_report_from_json("delivered.json", wrong));
}

TEST_CASE("trace: a filter's account survives its line, and no other line is one", "[trace]") {
  for (const FilterAccount& account :
       {FilterAccount{}, {"write x: No space left on device", 17, 3}, {"", 17, 3}, {"two\nlines", 0, 0}}) {
    std::string line = to_line(account);
    REQUIRE(line.ends_with('\n'));
    line.pop_back();
    CHECK(line.find('\n') == std::string::npos);
    const auto read = filter_account_from(line);
    REQUIRE(read);
    CHECK(read->unwritten == account.unwritten);
    CHECK(read->filtered == account.filtered);
    CHECK(read->problem.empty() == account.problem.empty());
  }
  CHECK(to_line({std::string(5000, 'x'), 1, 2}).size() == kFilterAccountBytesMax);
  for (const char* line : {"", "written", "written 1", "written 1 x", "written 1 2 why", "unwritten 1 2", "lost 1 2",
                           "written -1 2", "written 99999999999999999999 2"})
    CHECK(!filter_account_from(line));
}
