#include "trace/undelivered.hpp"

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

const std::vector<Undelivered> kTwo = {{"red", "foo", "A", 17, "connect to blue port 4000: no answer", 12, 0, ""},
                                       {"green", "foo", "B", 18, "no answer", 5, 2, "/var/lib/dpm/18-x.stream"}};

}  // namespace

TEST_CASE("trace: what did not reach the filter is part of the ledger, with where it is", "[trace]") {
  const TemporaryFolder folder;
  const auto info = small_info(2, 3, 4);
  const auto events = random_events(1, 50, info);
  write_trace(folder / "trace", info, events);
  const auto before = TraceReader::open(folder / "trace").value().ledger();
  CHECK(before.lost == 0);
  std::ofstream(folder / kUndeliveredName) << to_json(kTwo);
  for (const std::string& named : {std::string(folder / "trace"), folder / "trace/", std::string(folder / ".")}) {
    auto reader = TraceReader::open(named).value();
    CHECK(reader.ledger().lost == 19);
    CHECK(reader.ledger().balanced());
    reader.read([](std::span<const Event>) {});
    CHECK(reader.ledger().lost == 19);
    CHECK(reader.ledger().balanced());
    CHECK(reader.ledger().kept == before.kept);
    REQUIRE(reader.ledger().losses.size() == 3);
    CHECK(reader.ledger().losses[0].reason ==
          "process 17 (A) on red does not reach the filter (connect to blue port 4000: no answer): they waited there "
          "when "
          "the log was fetched");
    CHECK(reader.ledger().losses[1].reason.find("they are there in /var/lib/") != std::string::npos);
  }
}

TEST_CASE("trace: a damaged list of what did not reach the filter is refused", "[trace]") {
  for (const char* text : {"", "[]", "{\"format\": \"dpm-undelivered\", \"version\": 2}",
                           "{\"format\": \"dpm-undelivered\", \"version\": 1, \"meters\": [{\"pid\": 1}]}"})
    CHECK(!undelivered_from_json("undelivered.json", text));
  auto many = kTwo;
  many[0].waiting = ~std::uint64_t{0};
  CHECK(!undelivered_from_json("undelivered.json", to_json(many)));
  CHECK(undelivered_from_json("undelivered.json", to_json(kTwo)).value().size() == 2);
}
