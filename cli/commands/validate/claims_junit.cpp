#include "cli/commands/validate/claims_junit.hpp"

#include <algorithm>

#include "cli/commands/validate/claims_results.hpp"

namespace dpm::cli {
namespace {

// As the value of an attribute. XML has no form at all for most control characters.
std::string attribute(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return "\"" + escaped + "\"";
}

bool fails(Verdict verdict) { return verdict > Verdict::skipped; }

std::string message_of(const Judgement& judgement, const FigureJudgement& figure) {
  if (!judgement.reason.empty()) return judgement.reason;
  return std::string(name_of(figure.verdict)) + ": " + value_text(figure.obtained, figure.figure) + ", goal " +
         goal_text(figure.figure) + ", baseline " + value_text(figure.baseline, figure.figure);
}

std::string case_of(const Judgement& judgement, const FigureJudgement& figure) {
  std::string text =
      "    <testcase classname=" + attribute(judgement.claim.name) + " name=" + attribute(figure.figure.name);
  const std::string message = " message=" + attribute(message_of(judgement, figure)) + "/>";
  if (figure.verdict == Verdict::broken) return text + "><error" + message + "</testcase>\n";
  if (fails(figure.verdict)) return text + "><failure" + message + "</testcase>\n";
  if (figure.verdict == Verdict::skipped) return text + "><skipped" + message + "</testcase>\n";
  return text + "/>\n";
}

std::string suite_of(const Judgement& judgement) {
  const auto count = [&](const auto& is) {
    return "\"" + std::to_string(std::count_if(judgement.figures.begin(), judgement.figures.end(), is)) + "\"";
  };
  std::string text =
      "  <testsuite name=" + attribute(judgement.claim.name) + " tests=" + count([](const auto&) { return true; }) +
      " failures=" + count([](const auto& one) { return fails(one.verdict) && one.verdict != Verdict::broken; }) +
      " errors=" + count([](const auto& one) { return one.verdict == Verdict::broken; }) +
      " skipped=" + count([](const auto& one) { return one.verdict == Verdict::skipped; }) + ">\n";
  for (const auto& figure : judgement.figures) text += case_of(judgement, figure);
  return text + "  </testsuite>\n";
}

}  // namespace

std::string claims_junit(const std::vector<Judgement>& judgements) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"dpm validate\">\n";
  for (const auto& judgement : judgements) text += suite_of(judgement);
  return text + "</testsuites>\n";
}

}  // namespace dpm::cli
