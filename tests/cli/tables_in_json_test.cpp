// Every number that a table prints is in the JSON of the same command. The tables of dpm run are those of a scenario
// with sweeps, predictions and published figures.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "cli/commands/commands.hpp"
#include "cli/run/run_totals.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"
#include "text/number_text.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::json;

std::string output_of(const Commands& commands, std::vector<std::string> words) {
  words.insert(words.begin(), "dpm");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  std::ostringstream out, err;
  Terminal terminal{out, err, 300};
  const int status = run_command_line(commands, static_cast<int>(arguments.size()), arguments.data(), terminal);
  INFO(words[1] << ": " << err.str());
  REQUIRE(status == kDone);
  return out.str();
}

// All the ways in which tables print a number.
void add_texts(double value, std::set<std::string>& texts) {
  for (const int digits : {0, 1, 2, 3}) {
    texts.insert(fixed(value, digits));
    texts.insert(fixed(value * 100, digits));
    texts.insert(percent(value, digits));
    texts.insert(signed_percent(value, digits));
  }
  texts.insert(significant(value));
  texts.insert(significant(value, 6));
  texts.insert(seconds_text(value));
}

void add_texts(const Json& document, std::set<std::string>& texts) {
  if (document.is_number()) add_texts(document.get<double>(), texts);
  if (document.is_string()) texts.insert(document.get<std::string>());
  for (const auto& item : document)
    if (document.is_structured()) add_texts(item, texts);
}

// The cells of tables that are numbers: columns are at least two spaces apart. "95 %" is a heading.
std::vector<std::string> printed_numbers(const std::string& text) {
  static const std::regex number("[-+]?[0-9]+(\\.[0-9]+)?( (%|s|ms|us|ns))?");
  std::vector<std::string> numbers;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    static const std::regex gap(" {2,}");
    for (std::sregex_token_iterator cell(line.begin(), line.end(), gap, -1), end; cell != end; ++cell)
      if (std::regex_match(cell->str(), number) && cell->str() != "95 %") numbers.push_back(cell->str());
  }
  return numbers;
}

void check_same_numbers(const std::string& tables, const std::string& json) {
  std::set<std::string> texts;
  add_texts(Json::parse(json), texts);
  const auto numbers = printed_numbers(tables);
  CHECK(numbers.size() > 10);
  for (const auto& number : numbers) {
    INFO(number << " is in no number of the JSON of\n" << tables);
    CHECK(texts.contains(number));
  }
}

std::string study_scenario() {
  std::ifstream stream(source_root() / "tests/cli/fixtures/desk.json");
  Json scenario = Json::parse(stream);
  scenario["analyses"] = Json::array();  // the tables are printed nevertheless
  scenario["sweeps"] = {
      {{"name", "load"}, {"parameter", "requests"}, {"values", {1, 3}}, {"seeds", {1, 2}}, {"placements", {"apart"}}}};
  scenario["predictions"] = {{{"name", "both"}, {"placements", {"apart", "together"}}}};
  scenario["published"] = {
      {{"label", "P"}, {"figure", "1"}, {"value", 0.6}, {"within", 0.1}, {"quantity", "/parallelism/delay_cpu/P"}}};
  return scenario.dump();
}

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dpm-tables-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    std::ofstream(folder_ / "study.json") << study_scenario();
  }
  ~Scratch() { std::filesystem::remove_all(folder_); }
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

TEST_CASE("json: holds every number that a table prints", "[cli]") {
  const Scratch scratch;
  const std::string tables = output_of(simulator_commands(), {"run", scratch / "study.json", "-o", scratch / "out"});
  check_same_numbers(tables, output_of(simulator_commands(), {"run", scratch / "study.json", "--json"}));
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"statistics"}, {"queues"}, {"parallelism"}, {"causality"}, {"predict", "--sensitivity", "--everybody"}}) {
    std::vector<std::string> asked = words;
    asked.push_back(scratch / "out");
    const std::string text = output_of(dpm_commands(), asked);
    asked.push_back("--json");
    check_same_numbers(text, output_of(dpm_commands(), asked));
  }
}

TEST_CASE("run totals: the run and the computation, and each machine's cores", "[cli]") {
  SimTruth truth;
  truth.makespan_all = {4'000'000'000};
  truth.makespan = {2'000'000'000};
  truth.total_cpu_ns = 3'000'000'000;
  truth.processes = {{.name = "server", .machine = "red", .cpu_time_ns = 3'000'000'000},
                     {.name = "user", .machine = "red", .in_computation = false, .cpu_time_ns = 1'000'000'000}};
  truth.machines = {{"red", 3'000'000'000}, {"blue", 1'000'000'000}};
  Scenario scenario;
  scenario.machines = {{.name = "red", .cores = 2}, {.name = "blue"}};
  const RunTotals totals = run_totals(truth, scenario);
  CHECK(totals.run.P() == 1);
  CHECK(totals.computation.P() == 1.5);
  CHECK(totals.left_out == std::vector<std::string>{"user"});
  REQUIRE(totals.machines.size() == 2);
  CHECK(totals.machines[0].processes == 2);
  CHECK(totals.machines[0].utilisation == 3.0 / 8);
  CHECK(totals.machines[1].utilisation == 1.0 / 4);
  CHECK(run_totals_text(totals, 100).find("the computation leaves out user") != std::string::npos);
}

}  // namespace
}  // namespace dpm::cli
