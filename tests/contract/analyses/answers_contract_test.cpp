// Every analysis that scenarios can ask for, under the contract of analyses: those that register themselves, so that a new one is
// held to it without a line here.
#include <nlohmann/json.hpp>

#include "answers/reading/tee_sink.hpp"
#include "answers/scenario/answer.hpp"
#include "backends/sim/sim_source.hpp"
#include "tests/contract/analysis_contract.hpp"
#include "tests/contract/scenarios.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

// Its clients are outside the computation: they make the requests whose paths are asked about.
Scenario server_and_users() {
  Scenario scenario = busy_server(4, 25);
  for (auto& process : scenario.processes) process.in_computation = process.name == "server";
  return scenario;
}

// The tables as they are at the end.
class LastTables : public EventSink {
 public:
  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event>) override {}
  void on_end(const LossReport&) override { last_ = *info_; }

  const TraceInfo& last() const { return last_; }

 private:
  const TraceInfo* info_ = nullptr;
  TraceInfo last_;
};

std::string answer_of(const std::string& analysis, EventSource& source) {
  const SystemTemplate system{.scenario = server_and_users()};
  const Scenario scenario = place(system, "").value();
  const AnalysisRequest request{.kind = analysis, .name = analysis, .placements = {""}};
  const auto answer = cli::make_answer(analysis);
  cli::Asked asked;
  if (answer->sink() != nullptr) asked.sinks.push_back(answer->sink());
  cli::FindingsReader reader(asked);
  auto sinks = reader.sinks();
  LastTables tables;
  sinks.push_back(&tables);
  cli::TeeSink tee(sinks);
  REQUIRE(source.run(tee));
  const auto found = reader.take({.directory = "", .info = tables.last(), .ledger = {}});
  if (!found) return found.error().what;
  const auto document = answer->answer(*found, {request, ScenarioFile{}, system, scenario, Computation{}});
  return document ? document->dump() : document.error().what;
}

}  // namespace

TEST_CASE("analysis contract: the answers to what scenarios ask", "[contract]") {
  SimSource source(server_and_users());
  const auto typical = record(source);
  REQUIRE(typical.has_value());
  REQUIRE(analysis_names().size() >= 5);
  for (const auto& analysis : analysis_names()) {
    INFO(analysis);
    MemorySource again(*typical);
    CHECK(nlohmann::json::accept(answer_of(analysis, again)));  // an answer, no refusal
    CHECK(check_analysis_contract([&](EventSource& of) { return answer_of(analysis, of); }, *typical) ==
          std::vector<std::string>{});
  }
}
