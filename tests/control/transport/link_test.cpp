// Links and a collector over real connections.
#include <fcntl.h>

#include "os/random.hpp"
#include "tests/control/transport/live_path.hpp"

namespace dpm::test {
namespace {

TEST_CASE("meter path: what a meter records is what the filter reads", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream);
  LinkedMeter red(collector.address(), "red", 1, patient(folder)),
      green(collector.address(), "green", 2, patient(folder));
  red.record(10'000);
  green.record(777, 1);
  red.meter.add_process();
  red.record(100);
  for (auto* meter : {&red, &green}) {
    const auto report = meter->end();
    CHECK(report.recorded == meter->meter.total());
    CHECK(report.confirmed == report.recorded);
    CHECK(report.warnings().empty());
  }
  collector.stop();
  const auto stream = collector.stream();
  INFO(stream.reasons());
  CHECK(stream.count == 10'877);
  CHECK(counts_from_zero(stream));
  CHECK(stream.events.size() == 7);
  CHECK(stream.losses.seen == 10'877);
  CHECK(stream.losses.losses.empty());
  CHECK(stream.losses.warnings.empty());
  const auto delivered = collector.report();
  CHECK(delivered.finished);
  CHECK(delivered.filter_ended.empty());
  REQUIRE(delivered.meters.size() == 2);
  CHECK(delivered.meters[0].delivered + delivered.meters[1].delivered == 10'877);
  struct stat status = {};
  REQUIRE(::stat(collector.log().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("meter path: few events arrive before the meter ends", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream);
  LinkedMeter red(collector.address(), "red", 1, patient(folder));
  red.record(3);
  CHECK(eventually(
      [&] { return ::access((collector.log() + "/stream").c_str(), R_OK) == 0 && collector.stream().count == 3; }));
  red.link->set_immediate(true);
  red.record(1);
  CHECK(eventually([&] { return collector.stream().count == 4; }));
  red.end();
}

TEST_CASE("meter path: a collector that does not answer for a while costs nothing", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", kKeepStream);
  auto options = patient(folder);
  options.memory_events_max = 1000;
  LinkedMeter red(collector.address(), "red", 1, options);
  red.record(100);
  collector.suspend();
  red.record(100'000);  // far more than memory and the sockets hold: the rest is on disk
  collector.resume();
  const auto report = red.end();
  CHECK(report.confirmed == 100'100);
  CHECK(std::filesystem::is_empty(folder / "spool"));
  collector.stop();
  const auto stream = collector.stream();
  CHECK(stream.count == 100'100);
  CHECK(counts_from_zero(stream));
  CHECK(stream.lost() == 0);
}

TEST_CASE("meter path: a filter that never reads delays programs for a limited time, and all is counted",
          "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", {"/bin/sh", "-c", "exec sleep 1000"}, {}, new_secret().value(), 64 * 1024);
  auto options = patient(folder);
  options.memory_events_max = 1000;
  options.spool_bytes_max = 84 * 5000;
  options.patience = Duration::from_seconds(.3);
  options.end_wait = Duration::from_seconds(.3);
  LinkedMeter red(collector.address(), "red", 1, options);
  red.record(200'000);
  const auto report = red.end();
  CHECK(report.recorded == 200'000);
  CHECK(report.lost() > 0);
  CHECK(report.recorded == report.confirmed + report.left + report.lost());
  REQUIRE_FALSE(report.left_in.empty());
  const auto left = contents_of(text_of(report.left_in));
  CHECK(left.count == report.left);
  CHECK(left.lost() == report.lost());
  CHECK(left.losses.seen == report.recorded - report.confirmed);
  CHECK(report.warnings().size() == 2);
}

TEST_CASE("meter path: without a collector everything is left in a file", "[meter-path]") {
  const TemporaryFolder folder;
  auto options = patient(folder);
  options.memory_events_max = 100;
  options.end_wait = Duration::from_seconds(.2);
  LinkedMeter red({{"127.0.0.1"}, 1, new_secret().value()}, "red", 1, options);
  red.record(5000);
  const auto report = red.end();
  CHECK(report.confirmed == 0);
  CHECK(report.left == 5000);
  CHECK(report.problem.find("127.0.0.1 port 1") != std::string::npos);
  const auto left = contents_of(text_of(report.left_in));
  CHECK(left.count == 5000);
  CHECK(counts_from_zero(left));
  CHECK(left.lost() == 0);
}

TEST_CASE("meter path: a filter that ends does not harm the meter, and what it missed is counted", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", {"/bin/sh", "-c", "head -c 100000 > stream; exit 3"});
  LinkedMeter red(collector.address(), "red", 1, patient(folder));
  red.record(10'000);
  CHECK(collector.reports([](const auto& report) { return !report.filter_ended.empty(); }));
  red.record(10'000);
  const auto report = red.end();
  CHECK(report.recorded == 20'000);
  CHECK(report.recorded == report.confirmed + report.lost());
  CHECK(report.lost() > 0);
  CHECK(report.left == 0);
  collector.stop();
  const auto delivered = collector.report();
  CHECK(delivered.filter_ended == "exit status 3");
  REQUIRE(delivered.meters.size() == 1);
  const auto& meter = delivered.meters[0];
  CHECK(meter.ended);
  CHECK(meter.seen == 20'000);
  CHECK(meter.delivered == report.confirmed);
  REQUIRE(meter.losses.size() == 1);
  CHECK(meter.losses[0].events == 20'000 - meter.delivered);
  CHECK(meter.losses[0].reason == "the filter is gone: exit status 3");
}

TEST_CASE("meter path: a meter that does not say farewell leaves the filter the time to end", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorProcess collector(folder / "log", {"/bin/sh", "-c", "cat > stream; sleep .3; cp stream whole"});
  auto options = patient(folder);
  options.end_wait = Duration::from_seconds(.2);
  LinkedMeter red(collector.address(), "red", 1, options);
  red.record(100);
  CHECK(collector.reports([](const auto& report) { return !report.meters.empty() && report.meters[0].seen == 100; }));
  collector.stop();  // it is at work, and so says nothing
  const auto delivered = collector.report();
  CHECK(delivered.finished);
  REQUIRE(delivered.filter_ended.empty());
  CHECK(contents_of(text_of(collector.log() + "/whole")).count == 100);
  red.end();
}

TEST_CASE("meter path: a filter that cannot be started is reported at once", "[meter-path]") {
  const TemporaryFolder folder;
  CollectorOptions options;
  options.log = folder / "log";
  options.program = {"/nowhere/filter"};
  options.secret = new_secret().value();
  asio::io_context context;
  const auto collector = FilterCollector::create(context, options);
  REQUIRE_FALSE(collector.has_value());
  CHECK(collector.error().what == "the filter /nowhere/filter: start it: No such file or directory");
}

TEST_CASE("meter path: a collector killed in the midst leaves what it had, and the meter keeps the rest",
          "[meter-path]") {
  for (int round = 0; round < 5; ++round) {
    const TemporaryFolder folder;
    CollectorProcess collector(folder / "log", kKeepStream);
    auto options = patient(folder);
    options.end_wait = Duration::from_seconds(.2);
    LinkedMeter red(collector.address(), "red", 1, options);
    std::thread killer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5 + 12 * round));
      collector.kill_hard();
    });
    red.record(100'000);
    killer.join();
    const auto report = red.end();
    CHECK(report.recorded == report.confirmed + report.left + report.lost());
    CHECK(report.lost() == 0);
    if (report.left == 0) continue;
    const auto left = contents_of(text_of(report.left_in));
    CHECK(left.count == report.left);
    // The filter ends by itself when no process writes to it any more; nothing is missing between its log and the file.
    CHECK(eventually([&] { return collector.stream().count >= report.confirmed; }));
    CHECK(counts_from_zero(collector.stream()));
  }
}

}  // namespace
}  // namespace dpm::test
