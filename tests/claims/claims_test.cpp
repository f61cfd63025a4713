// Claims, baselines and results as files, and their verdicts. (tests/cli has the cases of `dpm validate`.)
#include <fmt/format.h>

#include <algorithm>

#include "cli/validate/claim_folder.hpp"
#include "cli/validate/judgement.hpp"
#include "cli/validate/machine_label.hpp"
#include "cli/validate/repetition.hpp"
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

const Figures kAccepted = {{"error", 0.1}, {"matched", 99.95}, {"speed", 1000}};
const References kReferences = {{"error", {0.1, 0}}, {"matched", {99.95, 0}}, {"speed", {1000, 0}}};

// `error` and `raw` are times without goals.
Claim timed_claim() {
  const auto claim = parse_claim(R"({"claim": "times are right", "test": "measures", "figures": {
    "error": {"what": "mean error", "unit": "%", "goal": null, "better": "lower", "noise": 1},
    "raw": {"what": "with metering", "unit": "%", "goal": null, "better": "lower", "noise": 1}}})",
                                 "validation/sample/claim.json");
  REQUIRE(claim.has_value());
  return *claim;
}

Verdict verdict_of(const std::string& figure, double obtained) {
  Figures figures = kAccepted;
  figures[figure] = obtained;
  return judge(sample_claim(), kReferences, {figures, {}, {}, {}}).verdict;
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
  const Judgement judgement = judge(sample_claim(), kReferences, {obtained, {}, {}, {}});
  CHECK(judgement.verdict == Verdict::misses_its_goal);
  REQUIRE(judgement.figures.size() == 3);
  CHECK(judgement.figures[0].verdict == Verdict::worse_than_baseline);
  CHECK(judgement.figures[1].verdict == Verdict::misses_its_goal);
  CHECK(judgement.figures[2].verdict == Verdict::holds);
}

TEST_CASE("claims: a baseline is read as it was written, to the last digit", "[claims]") {
  const Claim claim = sample_claim();
  AcceptedRun run;
  run.full = {{"error", 1. / 3}, {"matched", 99.997500687}, {"speed", 1e-16}};
  run.quick = kAccepted;
  Baseline written;
  written.accept(claim, run);
  const auto read = parse_baseline(baseline_text(claim, written), "baseline.json", claim);
  REQUIRE(read.has_value());
  REQUIRE(read->runs().size() == 1);
  CHECK(read->runs().back().full == run.full);
  CHECK(read->runs().back().quick == run.quick);
  CHECK(need_baseline(claim, *read, "baseline.json", false).has_value());
  Baseline partial;
  partial.add({"", {}, {{"error", 1}}});
  const auto needed = need_baseline(claim, partial, "baseline.json", true);
  REQUIRE(!needed.has_value());
  CHECK(needed.error().what ==
        "baseline.json: no figure 'matched' in \"quick\"; 'dpm validate --accept sample' measures it");
}

TEST_CASE("claims: figures about real time are compared with the worst run that was accepted on any machine",
          "[claims]") {
  Claim claim = timed_claim();
  Baseline baseline;
  for (const double error : {4., 5., 7.}) baseline.accept(claim, {"fast", {{"error", error}, {"raw", 10}}, {}});
  baseline.accept(claim, {"slow", {{"error", 20}, {"raw", 40}}, {}});
  const auto verdict_of_error = [&](double error) {
    return judge(claim, baseline.references(claim, false), {{{"error", error}, {"raw", 10}}, {}, {}, {}})
        .figures[0]
        .verdict;
  };
  CHECK(verdict_of_error(21) == Verdict::holds);
  CHECK(verdict_of_error(21.1) == Verdict::worse_than_baseline);
  claim.figures[0].lower_is_better = false;
  CHECK(verdict_of_error(3) == Verdict::holds);
  CHECK(verdict_of_error(2.9) == Verdict::worse_than_baseline);
}

TEST_CASE("claims: a figure about real time has no reference before a run is accepted", "[claims]") {
  const Claim claim = timed_claim();
  const Judgement first = judge(claim, Baseline().references(claim, false), {{{"error", 1}, {"raw", 1}}, {}, {}, {}});
  CHECK(first.figures[0].verdict == Verdict::no_reference);
  CHECK(!first.figures[0].baseline);
  CHECK(first.verdict == Verdict::no_reference);
}

TEST_CASE("claims: a figure that is not judged is shown, whatever it is", "[claims]") {
  Claim claim = timed_claim();
  claim.figures[1].is_judged = false;
  Baseline baseline;
  baseline.accept(claim, {"fast", {{"error", 5}, {"raw", 10}}, {}});
  const Judgement shown = judge(claim, baseline.references(claim, false), {{{"error", 5}, {"raw", 9000}}, {}, {}, {}});
  CHECK(shown.figures[1].verdict == Verdict::not_judged);
  CHECK(shown.figures[1].obtained == 9000.);
  CHECK(shown.verdict == Verdict::holds);
}

TEST_CASE("claims: a figure relative to another of the same run is compared with the median of the ratios",
          "[claims]") {
  Claim claim = timed_claim();
  claim.figures[0].relative_to = "raw";
  claim.figures[0].noise = 0.1;
  Baseline baseline;
  baseline.accept(claim, {"fast", {{"error", 5}, {"raw", 10}}, {}});
  const auto judged = [&](double error, double raw) {
    return judge(claim, baseline.references(claim, false), {{{"error", error}, {"raw", raw}}, {}, {}, {}}).figures[0];
  };
  CHECK(judged(59, 100).verdict == Verdict::holds);
  CHECK(judged(59, 100).baseline == 50.);
  CHECK(judged(61, 100).verdict == Verdict::worse_than_baseline);
  CHECK(judged(1, 0).verdict == Verdict::no_reference);

  // Machines that are known differ more: a machine that is not known may, too.
  baseline.accept(claim, {"slow", {{"error", 9}, {"raw", 10}}, {}});
  CHECK(judged(89, 100).verdict == Verdict::holds);
  CHECK(judged(91, 100).verdict == Verdict::worse_than_baseline);
}

TEST_CASE("claims: a claim about real time that fails is measured again, unless a figure without noise failed",
          "[claims]") {
  Claim claim = timed_claim();
  const References references = {{"error", {5, 0}}, {"raw", {10, 0}}};
  const auto judged = [&](double error, double raw) {
    return judge(claim, references, {{{"error", error}, {"raw", raw}}, {}, {}, {}});
  };
  CHECK(!is_worth_repeating(judged(5, 10)));
  CHECK(is_worth_repeating(judged(7, 10)));
  CHECK(!is_worth_repeating(judge_unmeasured(claim, references, Verdict::broken, "no ruler")));
  CHECK(!is_worth_repeating(judge_unmeasured(claim, references, Verdict::skipped, "no ruler")));
  claim.figures[1].noise = 0;
  CHECK(is_worth_repeating(judged(7, 10)));
  CHECK(!is_worth_repeating(judged(7, 11)));
  claim.is_timed = false;
  CHECK(!is_worth_repeating(judged(7, 10)));
}

TEST_CASE("claims: of several measurements the medians count, and the worst of what has no noise", "[claims]") {
  Claim claim = timed_claim();
  claim.figures[1].noise = 0;
  const auto run = [](double error, double raw) { return ClaimResult{{{"error", error}, {"raw", raw}}, {}, {}, {}}; };
  const ClaimResult together = combined(claim, {run(7, 1), run(4, 3), run(5, 2)});
  CHECK(together.figures == Figures{{"error", 5}, {"raw", 3}});
  REQUIRE(together.tables.size() == 1);
  CHECK(together.tables[0].rows[0] == std::vector<std::string>{"error", "7", "4", "5", "5"});
  claim.figures[1].lower_is_better = false;
  CHECK(combined(claim, {run(7, 1), run(4, 3), run(5, 2)}).figures.at("raw") == 1);
  claim.figures[1].goal = Goal{true, 2};  // at most: which is better follows from the goal
  CHECK(combined(claim, {run(7, 1), run(4, 3), run(5, 2)}).figures.at("raw") == 3);
}

TEST_CASE("claims: a goal that is known to be missed is stated, and may not get worse", "[claims]") {
  Claim claim = sample_claim();
  claim.figures[0].known_miss = "messages cost as much as the work";
  const auto verdict_of_error = [&](double error) {
    Figures figures = kAccepted;
    figures["error"] = error;
    return judge(claim, {{"error", {0.9, 0}}}, {figures, {}, {}, {}}).figures[0].verdict;
  };
  CHECK(verdict_of_error(0.91) == Verdict::misses_as_known);
  CHECK(verdict_of_error(0.95) == Verdict::worse_than_baseline);
  CHECK(verdict_of_error(0.4) == Verdict::holds);
}

TEST_CASE("claims: a baseline about real time keeps the last runs of each machine", "[claims]") {
  const Claim claim = timed_claim();
  Baseline baseline;
  baseline.accept(claim, {"a", {{"error", 1}, {"raw", 1}}, {{"error", 2}, {"raw", 2}}});
  for (std::size_t k = 0; k < Baseline::kRunsMost + 1; ++k)
    baseline.accept(claim, {"b", {{"error", static_cast<double>(k)}, {"raw", 1}}, {}});
  const auto read = parse_baseline(baseline_text(claim, baseline), "baseline.json", claim);
  REQUIRE(read.has_value());
  REQUIRE(read->runs().size() == 1 + Baseline::kRunsMost);
  CHECK(read->runs()[0].quick.at("error") == 2);
  CHECK(read->runs()[1].full.at("error") == 1);
  const auto one = parse_baseline(R"({"version": 1, "full": {"error": 1, "raw": 1}})", "baseline.json", claim);
  REQUIRE(!one.has_value());
  CHECK(one.error().what ==
        "baseline.json:1: a baseline of version 1, and one about real time has version 2; "
        "'dpm validate --accept sample' measures it again");
}

TEST_CASE("claims: a relation to a figure that is not measured is refused", "[claims]") {
  const auto refusal = [](const std::string& relation, const std::string& more) {
    std::string text = kText;
    text.insert(text.find("\"noise\": 0.02"), "\"relative_to\": \"" + relation + "\", ");
    if (!more.empty()) text.insert(text.find("\"noise\": 0.05"), more);
    const auto claim = parse_claim(text, "claim.json");
    return claim ? "" : claim.error().what;
  };
  CHECK(refusal("matched", "") == "");
  CHECK(refusal("matchd", "") == "claim.json:4: no other figure 'matchd' (did you mean 'matched'?)");
  CHECK(refusal("error", "").find("no other figure 'error'") != std::string::npos);
  CHECK(refusal("matched", "\"quick\": false, ") == "claim.json:4: the quick form leaves out 'matched'");
}

TEST_CASE("claims: a figure that is not judged needs no direction, and has no goal", "[claims]") {
  std::string text = kText;
  text.replace(text.find("\"better\": \"higher\""), 18, "\"judged\": false");
  const auto shown = parse_claim(text, "claim.json");
  REQUIRE(shown.has_value());
  CHECK(!shown->figures[2].is_judged);
  text.insert(text.find("\"noise\": 0.02"), "\"judged\": false, ");
  const auto refused = parse_claim(text, "claim.json");
  REQUIRE(!refused.has_value());
  CHECK(refused.error().what == "claim.json:4: a figure that is not judged has no goal and no 'relative_to'");
}

TEST_CASE("claims: a machine is called by its processor, cores and kernel", "[claims]") {
  CHECK(machine_label("processor\t: 0\nmodel name\t: A CPU @ 2 GHz\nflags: x\n", 2, "6.1.0-18-amd64") ==
        "A CPU @ 2 GHz, 2 cores, Linux 6.1");
  CHECK(machine_label("", 4, "6.18") == "unknown CPU, 4 cores, Linux 6.18");
  CHECK(machine_label("model name\t:\nx", 1, "odd") == "unknown CPU, 1 cores, Linux odd");
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
      CHECK(need_baseline(claim->form(is_quick), *baseline, "baseline.json", is_quick).has_value());
    CHECK(claim->is_timed == (baseline->runs().empty() || !baseline->runs().front().machine.empty()));
  }
}
