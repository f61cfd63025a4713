// The names in --json that others build on (the man pages and docs/ promise them): they all exist, with the right kind
// of value. The commands run in this process, on the trace of the fixture.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands/commands.hpp"
#include "cli/run/simulation.hpp"
#include "scenarios/scenario_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::json;

class RunOfFixture {
 public:
  RunOfFixture() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dpm-names-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    const std::string scenario = (source_root() / "tests/cli/fixtures/desk.json").string();
    command(simulator_commands(), {"run", scenario, "-o", (folder_ / "out").string()});
  }
  ~RunOfFixture() { std::filesystem::remove_all(folder_); }

  Json json(std::vector<std::string> words) {
    words.insert(words.begin() + 1, (folder_ / "out").string());
    words.push_back("--json");
    return Json::parse(command(dpm_commands(), words));
  }

  Json file(const std::string& name) const {
    std::ifstream stream(folder_ / "out" / name);
    return Json::parse(stream);
  }

 private:
  static std::string command(const Commands& commands, std::vector<std::string> words) {
    words.insert(words.begin(), "dpm");
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    std::ostringstream out, err;
    Terminal terminal{out, err};
    const int status = run_command_line(commands, static_cast<int>(arguments.size()), arguments.data(), terminal);
    INFO(words[1] << ": " << err.str());
    REQUIRE(status == kDone);
    return out.str();
  }

  std::filesystem::path folder_;
};

void check_ledger(const Json& document) {
  REQUIRE(document.contains("ledger"));
  const Json& ledger = document["ledger"];
  for (const auto* name : {"seen", "kept", "filtered", "lost"}) CHECK(ledger.at(name).is_number_unsigned());
  CHECK(ledger["seen"] == ledger["kept"].get<int>() + ledger["filtered"].get<int>() + ledger["lost"].get<int>());
}

void check_prediction(const Json& document) {
  for (const auto* name : {"P", "elapsed_s"}) CHECK(document.at(name).is_number());
  for (const auto* name : {"order", "method"}) CHECK(document.at(name).is_string());
  for (const auto* name : {"low", "high"}) CHECK(document.at("spread").at(name).is_number());
  CHECK(document.contains("placement"));
}

TEST_CASE("json: every promised name is there", "[cli]") {
  RunOfFixture run;

  SECTION("trace.json") { check_ledger(run.file("trace/trace.json")); }

  SECTION("statistics") {
    const Json document = run.json({"statistics"});
    check_ledger(document);
    CHECK(document.at("processes").size() == 4);
    CHECK(document.at("messages").size() == 6);
    for (const auto& message : document["messages"]) {
      for (const auto* name : {"from", "to"}) CHECK(message.at(name).is_string());
      for (const auto* name : {"count", "bytes"}) CHECK(message.at(name).is_number_unsigned());
    }
  }

  SECTION("queues") {
    const Json document = run.json({"queues"});
    CHECK(document.at("processes").size() == 4);
    for (const auto& process : document["processes"])
      for (const auto* name : {"queue_max", "queue_mean", "wait_mean_s"}) CHECK(process.at(name).is_number());
  }

  SECTION("parallelism") {
    const Json document = run.json({"parallelism"});
    for (const auto* step : {"no_delay", "delay", "delay_cpu"})
      for (const auto* name : {"T_s", "t_max_s", "P"}) CHECK(document.at(step).at(name).is_number());
  }

  SECTION("predict") { check_prediction(run.json({"predict"})); }

  SECTION("predict --search") {
    const Json document = run.json({"predict", "--search"});
    check_prediction(document);
    CHECK(!document.at("candidates").empty());
    CHECK(document.at("regret_bound").is_number());
  }

  SECTION("causality") {
    const Json document = run.json({"causality"});
    REQUIRE(!document.at("paths").empty());
    for (const auto& path : document["paths"]) {
      CHECK(path.at("path").is_string());
      CHECK(path.at("count").is_number_unsigned());
    }
    REQUIRE(!document.at("branching").empty());
    for (const auto& branch : document["branching"]) {
      for (const auto* name : {"at", "from", "to"}) CHECK(branch.at(name).is_string());
      CHECK(branch.at("probability").is_number());
    }
  }

  SECTION("results.json of a run holds the same answers") {
    const Json results = run.file("results.json");
    check_ledger(results);
    Json alone = run.json({"parallelism"});
    alone.erase("ledger");
    CHECK(results.at("parallelism") == alone);
    CHECK(results.at("statistics") == run.json({"statistics"}));
    CHECK(results.at("queues") == run.json({"queues"}));
  }
}

}  // namespace
}  // namespace dpm::cli
