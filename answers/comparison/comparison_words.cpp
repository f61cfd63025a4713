#include "answers/comparison/comparison_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/counted.hpp"
#include "text/number_text.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kPathShown = 12;  // processes of a path; its end says more than its middle

bool is_time(Measure measure) { return measure == Measure::elapsed || measure == Measure::cpu; }

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names.size() > kPathShown && i == kPathShown - 1) {
      text += fmt::format(" > ... {} more ... > {}", names.size() - kPathShown, names.back());
      break;
    }
    text += (i == 0 ? "" : " > ") + names[i];
  }
  return text;
}

std::string relative_text(double a, double b) { return a > 0 ? signed_percent((b - a) / a, 1) : "new"; }

double elapsed_s(const RunProfile& run) {
  double sum_s = 0;
  for (const TimePart& part : run.elapsed) sum_s += part.time_s;
  return sum_s;
}

template <typename Number>
WholeRow number_row(const std::string& what, Number a, Number b, std::string (*text)(Number)) {
  return {what, text(a), text(b), relative_text(static_cast<double>(a), static_cast<double>(b))};
}

std::string count_text(std::uint64_t count) { return std::to_string(count); }
std::string factor_text(double factor) { return fixed(factor, 2); }

}  // namespace

std::string measure_text(Measure measure) {
  switch (measure) {
    case Measure::elapsed:
      return "elapsed time";
    case Measure::cpu:
      return "CPU time of all processes";
    case Measure::messages:
      return "messages";
    case Measure::bytes:
      return "bytes";
  }
  return "";
}

const char* measure_key(Measure measure) {
  constexpr const char* kKeys[] = {"elapsed_s", "cpu_s", "messages", "bytes"};
  return kKeys[static_cast<std::size_t>(measure)];
}

const char* structural_key(StructuralKind kind) {
  constexpr const char* kKeys[] = {"new_process", "gone_process", "renamed_process", "moved_process",
                                   "new_path",    "gone_path",    "new_pair",        "gone_pair"};
  return kKeys[static_cast<std::size_t>(kind)];
}

std::string amount_text(Measure measure, double amount) {
  return is_time(measure) ? seconds_text(amount) : fmt::format("{:.0f}", amount);
}

std::string change_text(Measure measure, double a, double b) {
  const double change = b - a;
  const std::string text = amount_text(measure, std::abs(change));
  return fmt::format("{}{} ({})", change < 0 ? "-" : "+", text, relative_text(a, b));
}

std::string name_text(const AmountName& name) {
  if (name.measure == Measure::messages || name.measure == Measure::bytes) return name.process + " > " + name.other;
  if (name.measure == Measure::cpu) return name.process;
  const std::string rival =
      name.other.empty() ? "" : (name.other.front() == '(' ? " " + name.other : " (" + name.other + ")");
  return name.process + ": " + name.doing + rival;
}

std::string structural_text(const StructuralChange& change) {
  switch (change.kind) {
    case StructuralKind::new_process:
      return "new process: " + change.names[0];
    case StructuralKind::gone_process:
      return "process gone: " + change.names[0];
    case StructuralKind::renamed_process:
      return fmt::format("{} is called {}", change.names[0], change.names[1]);
    case StructuralKind::moved_process:
      return fmt::format("{} moved from {} to {}", change.names[0], change.from, change.to);
    case StructuralKind::new_path:
      return fmt::format("new path: {}, by {}", joined(change.names), counted(change.count, "request"));
    case StructuralKind::gone_path:
      return fmt::format("path gone: {}, by {}", joined(change.names), counted(change.count, "request"));
    case StructuralKind::new_pair:
      return fmt::format("new: {} to {}", counted(change.count, "message"), joined(change.names));
    case StructuralKind::gone_pair:
      return fmt::format("gone: {} to {}", counted(change.count, "message"), joined(change.names));
  }
  return "";
}

std::vector<WholeRow> whole_rows(const RunProfile& a, const RunProfile& b) {
  std::vector<WholeRow> rows;
  if (a.elapsed_of && b.elapsed_of) {
    const std::string &of_a = a.processes[*a.elapsed_of].name, &of_b = b.processes[*b.elapsed_of].name;
    rows.push_back(number_row("elapsed time of " + (of_a == of_b ? of_a : of_a + " and " + of_b), elapsed_s(a),
                              elapsed_s(b), seconds_text));
  }
  if (a.T_s && b.T_s) {
    rows.push_back(number_row("CPU time of the computation (T)", *a.T_s, *b.T_s, seconds_text));
    rows.push_back(number_row("longest path (t_max)", *a.t_max_s, *b.t_max_s, seconds_text));
    rows.push_back(number_row("parallelism factor (P)", *a.P, *b.P, factor_text));
  }
  std::uint64_t messages_a = 0, messages_b = 0, bytes_a = 0, bytes_b = 0, requests_a = 0, requests_b = 0;
  for (const PairProfile& pair : a.pairs) messages_a += pair.messages, bytes_a += pair.bytes;
  for (const PairProfile& pair : b.pairs) messages_b += pair.messages, bytes_b += pair.bytes;
  for (const PathProfile& path : a.paths) requests_a += path.requests;
  for (const PathProfile& path : b.paths) requests_b += path.requests;
  rows.push_back(number_row("messages", messages_a, messages_b, count_text));
  rows.push_back(number_row("bytes", bytes_a, bytes_b, count_text));
  if (requests_a + requests_b > 0) rows.push_back(number_row("request paths", requests_a, requests_b, count_text));
  return rows;
}

}  // namespace dpm::cli
