#include "answers/results/places_results.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace dpm::cli {
namespace {

constexpr ProcessId kFirst{0}, kSecond{1}, kOther{2};

// Two processes of one program, loaded at different addresses, and one of another.
TraceInfo three_processes() {
  TraceInfo info;
  info.processes.resize(3);
  info.processes[0].name = "server";
  info.processes[1].name = "server#2";
  info.processes[2].name = "client";
  for (auto& process : info.processes) process.program = "/usr/bin/same";
  info.modules = {{kFirst, 0x1000, 0x2000, 0, "/server"},
                  {kSecond, 0x5000, 0x6000, 0, "/server"},
                  {kOther, 0x1000, 0x2000, 0, "/server"}};
  return info;
}

}  // namespace

TEST_CASE("places: one place of one program is one row, wherever it was loaded", "[places]") {
  const auto places = hot_places(
      {{kFirst, 0x1101, 3, 30, 0, 0}, {kSecond, 0x5101, 4, 40, 1, 5}, {kOther, 0x1101, 1, 1}}, three_processes());
  REQUIRE(places.size() == 2);
  CHECK(places[0].program == "server");
  CHECK(places[0].sent == 7);
  CHECK(places[0].sent_bytes == 70);
  CHECK(places[0].received_bytes == 5);
  CHECK(function_text(places[0].place) == "server+0x100");
  CHECK(places[1].program == "client");
}

TEST_CASE("places: the busiest come first, and a long list says what it leaves out", "[places]") {
  std::vector<CallSite> sites;
  for (std::uint64_t i = 0; i < 40; ++i) sites.push_back({kFirst, 0x1001 + i, i + 1, 0, 0, 0});
  const auto places = hot_places(sites, three_processes());
  REQUIRE(places.size() == 40);
  CHECK(places.front().sent == 40);
  const std::string text = places_text(places, 100);
  CHECK(text.find("10 more places") != std::string::npos);
  CHECK(places_json(places).size() == 40);
}

TEST_CASE("places: threads count for their process, and simulated processes for their program", "[places]") {
  TraceInfo info = three_processes();
  info.processes[1].name = "server/1";
  info.processes[1].group = kFirst;
  info.processes[2].program = "clerk";
  const auto places =
      hot_places({{kFirst, 0x1101, 3, 0, 0, 0}, {kSecond, 0x1101, 4, 0, 0, 0}, {kOther, 0x1101, 1}}, info);
  REQUIRE(places.size() == 2);
  CHECK(places[0].program == "server");
  CHECK(places[0].sent == 7);
  CHECK(places[1].program == "clerk");
}

TEST_CASE("places: an unknown place is shown as a number", "[places]") {
  const auto places = hot_places({{kFirst, 7, 1, 1, 0, 0}}, TraceInfo{.processes = {ProcessInfo{}}});
  REQUIRE(places.size() == 1);
  CHECK(function_text(places[0].place) == "0x7");
  CHECK(places_json(places)[0]["module"] == "");
}

}  // namespace dpm::cli
