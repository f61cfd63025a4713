// The page of `dpm validate --report`.
#include "cli/commands/validate/claims_report.hpp"

#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::cli;

namespace {

Claim claim_named(const std::string& name) {
  const FigureClaim figure{"worst_error", "worst error of P", "%", Goal{true, 1.5}, true, 0};
  return {name, "validation/" + name, "Predictions are right, <always>", false, {figure}};
}

}  // namespace

TEST_CASE("claims report: every claim is there with its verdict, tables and pictures, and nothing is loaded", "[cli]") {
  ClaimResult result;
  result.figures = {{"worst_error", 2}};
  result.remarks = {"the worst was <17>"};
  result.tables = {{"Matrix", {"traced on", "A"}, {{"A", "same"}, {"B", "+0.31 %"}}}, {"Nothing to show", {"x"}, {}}};
  result.plots = {
      {PlotKind::predicted_against_measured, "P", "measured", "predicted", {{"arrival", {{1, 1.1, .9, 1.2, ""}}}}},
      {PlotKind::lines, "Growth", "delay", "error", {{"mean", {{2, 2, {}, {}, ""}, {1, 1, {}, {}, ""}}}}}};
  const std::vector<Judgement> judgements = {
      judge(claim_named("file-system"), {{"worst_error", {.5, 0}}}, result),
      judge_unmeasured(claim_named("etcd"), {}, Verdict::skipped, "no etcd is installed")};
  const std::string page = view::render_report(claims_report(judgements, true, {}));
  for (const std::string text : {"file-system: misses its goal", "etcd: skipped", "no etcd is installed",
                                 "Predictions are right, \\u003calways>", "The worst was \\u003c17>.", "Matrix",
                                 "+0.31 %", "0 of 1", "quick: fewer cases"}) {
    INFO(text);
    CHECK(page.find(text) != std::string::npos);
  }
  CHECK(page.find("Nothing to show") == std::string::npos);
  CHECK(page == view::render_report(claims_report(judgements, true, {})));
}

TEST_CASE("claims report: of no claims there is a page as well", "[cli]") {
  CHECK(view::render_report(claims_report({}, false, {})).find("All claims") != std::string::npos);
}
