// Claims, baselines and results as files, and their verdicts. (tests/cli has the cases of `dpm validate`.)
#include <fmt/format.h>

#include <algorithm>

#include "cli/validate/claim_folder.hpp"
#include "cli/validate/judgement.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"

using namespace dpm;
using namespace dpm::cli;

namespace {

constexpr const char* kText = R"({
  "claim": "predictions are right",
  "figures": {
    "error": {"what": "mean error", "unit": "%", "goal": {"at_most": 0.5}, "noise": 0.02},
    "matched": {"what": "share", "unit": "%", "goal": {"at_least": 99.9}, "noise": 0.05},
    "speed": {"what": "placements a second", "unit": "", "goal": null, "better": "higher", "noise": 10}}})";

Claim sample_claim() {
  const auto claim = parse_claim(kText, "validation/sample/claim.json");
  REQUIRE(claim.has_value());
  return *claim;
}

const Figures kBaseline = {{"error", 0.1}, {"matched", 99.95}, {"speed", 1000}};

Verdict verdict_of(const std::string& figure, double obtained) {
  Figures figures = kBaseline;
  figures[figure] = obtained;
  return judge(sample_claim(), kBaseline, {figures, {}, {}, {}}).verdict;
}

}  // namespace

TEST_CASE("claims: a figure is compared with its goal first, then with its baseline and noise", "[claims]") {
  CHECK(verdict_of("error", 0) == Verdict::holds);
  CHECK(verdict_of("error", 0.12) == Verdict::holds);
  CHECK(verdict_of("error", 0.1201) == Verdict::worse_than_baseline);
  CHECK(verdict_of("error", 0.5) == Verdict::worse_than_baseline);
  CHECK(verdict_of("error", 0.5001) == Verdict::misses_its_goal);
  CHECK(verdict_of("matched", 100) == Verdict::holds);
  CHECK(verdict_of("matched", 99.9) == Verdict::holds);
  CHECK(verdict_of("matched", 99.89) == Verdict::misses_its_goal);
  CHECK(verdict_of("speed", 1e9) == Verdict::holds);
  CHECK(verdict_of("speed", 990) == Verdict::holds);
  CHECK(verdict_of("speed", 989) == Verdict::worse_than_baseline);
}

TEST_CASE("claims: a claim's verdict is the worst of its figures'", "[claims]") {
  const Figures obtained = {{"error", 0.2}, {"matched", 1}, {"speed", 1000}};
  const Judgement judgement = judge(sample_claim(), kBaseline, {obtained, {}, {}, {}});
  CHECK(judgement.verdict == Verdict::misses_its_goal);
  REQUIRE(judgement.figures.size() == 3);
  CHECK(judgement.figures[0].verdict == Verdict::worse_than_baseline);
  CHECK(judgement.figures[1].verdict == Verdict::misses_its_goal);
  CHECK(judgement.figures[2].verdict == Verdict::holds);
}

TEST_CASE("claims: a baseline is read as it was written, to the last digit", "[claims]") {
  const Claim claim = sample_claim();
  const Baseline written{{{"error", 1. / 3}, {"matched", 99.997500687}, {"speed", 1e-16}}, kBaseline};
  const auto read = parse_baseline(baseline_text(claim, written), "baseline.json", claim);
  REQUIRE(read.has_value());
  CHECK(read->full == written.full);
  CHECK(read->quick == written.quick);
  CHECK(need_baseline(claim, read->full, "baseline.json", false).has_value());
  const auto needed = need_baseline(claim, {{"error", 1}}, "baseline.json", true);
  REQUIRE(!needed.has_value());
  CHECK(needed.error().what ==
        "baseline.json: no figure 'matched' in \"quick\"; 'dpm validate --accept sample' measures it");
}

TEST_CASE("claims: the quick form omits figures that need many cases", "[claims]") {
  std::string text = kText;
  text.replace(text.find("\"noise\": 0.05"), 13, "\"noise\": 0.05, \"quick\": false");
  const auto claim = parse_claim(text, "validation/sample/claim.json");
  REQUIRE(claim.has_value());
  CHECK(claim->form(false).figure_names() == std::vector<std::string>{"error", "matched", "speed"});
  CHECK(claim->form(true).figure_names() == std::vector<std::string>{"error", "speed"});
  const auto none = parse_claim(
      R"({"claim": "x", "figures": {"a": {"what": "a", "unit": "", "goal": {"at_most": 1}, "noise": 0, "quick": false}}})",
      "validation/sample/claim.json");
  REQUIRE(!none.has_value());
  CHECK(none.error().what.find("the quick form of a claim needs a figure too") != std::string::npos);
}

TEST_CASE("claims: its test judges or measures, and nothing else", "[claims]") {
  for (const std::string test : {"judges", "measures", "jugdes"}) {
    std::string text = kText;
    text.insert(text.find("\"figures\""), fmt::format("\"test\": \"{}\", ", test));
    const auto claim = parse_claim(text, "validation/sample/claim.json");
    CHECK(claim.has_value() == (test != "jugdes"));
    if (!claim) CHECK(claim.error().what.find("did you mean 'judges'?") != std::string::npos);
  }
}

TEST_CASE("claims: a result is read as it was written", "[claims]") {
  ClaimResult written;
  written.figures = {{"error", .1}, {"matched", 1. / 3}, {"speed", 5}};
  written.remarks = {"the worst was \"#17\""};
  written.tables = {{"matrix", {"traced on", "A"}, {{"A", "0 %"}, {"B", "1 %"}}}, {"empty", {}, {}}};
  written.plots = {{PlotKind::predicted_against_measured,
                    "P",
                    "measured",
                    "predicted",
                    {{"arrival", {{1, 1.01, .98, 1.03, "A from B"}, {2, 2, std::nullopt, std::nullopt, ""}}}}}};
  const std::string text = claim_result_text(written);
  const auto read = parse_claim_result(text, "result.json", sample_claim());
  REQUIRE(read.has_value());
  CHECK(read->figures == written.figures);
  CHECK(read->tables[0].rows == written.tables[0].rows);
  CHECK(read->plots[0].kind == PlotKind::predicted_against_measured);
  CHECK(read->plots[0].series[0].points[0].high == 1.03);
  CHECK(!read->plots[0].series[0].points[1].low.has_value());
  CHECK(claim_result_text(*read) == text);
}

TEST_CASE("claims: every claim of this project can be read, and has a baseline for each of its forms", "[claims]") {
  const auto folder = ClaimFolder::open(source_root().string() + "/validation", "");
  REQUIRE(folder.has_value());
  for (const auto& name : folder->names()) {
    INFO(name);
    const auto claim = folder->claim(name);
    REQUIRE(claim.has_value());
    const auto baseline = folder->baseline(*claim);
    REQUIRE(baseline.has_value());
    for (const bool is_quick : {false, true})
      CHECK(need_baseline(claim->form(is_quick), baseline->of(is_quick), "baseline.json", is_quick).has_value());
  }
}
