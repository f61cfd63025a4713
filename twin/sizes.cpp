// Whether the size of a message decides what its receiver does. For each class of messages (sender's group, receiver's
// group, code), the size is tested as a predictor of two properties of the activity that the message begins:
//
//   CPU time   a one-way analysis of variance: eta squared, the share of the variance that is between sizes
//   form       Goodman and Kruskal's lambda: the share of errors that knowing the size avoids in guessing the form
//
// Sizes of a class are told apart if either is large.
#include "twin/sizes.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace dpm::twin {
namespace {

constexpr std::size_t kSizesMost = 32;    // of a class: with more, the size is data and not a kind
constexpr double kActivitiesPerSize = 5;  // on average, before a class is tested
constexpr double kEtaSquaredLeast = 0.3;  // beyond what sizes without effect explain by chance
constexpr double kLambdaLeast = 0.9;
constexpr double kErrorsLeast = 0.02;  // of all activities: with fewer, the form hardly varies

using FormCounts = std::map<std::string, std::uint64_t>;

// The activities that messages of one size began.
struct Sample {
  double n = 0, sum = 0, squares = 0;  // of CPU times
  FormCounts forms;
};
using Samples = std::map<std::uint32_t, Sample>;                               // by size
using MessageClass = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from group, to group, code

std::map<MessageClass, Samples> samples_of(const Material& material) {
  std::map<MessageClass, Samples> classes;
  const Recording& recording = material.recording;
  for (std::uint32_t p = 0; p < recording.records.size(); ++p) {
    for (const Activity& activity : material.behaviours.of[p].activities) {
      if (activity.trigger == kNone) continue;
      const Operation& trigger = recording.records[p].operations[activity.trigger];
      if (trigger.peer == kNone) continue;
      const TokenRun run = tokens_of(material, p, activity, activity.stops);
      Samples& by_size = classes[{material.groups.of[trigger.peer], material.groups.of[p], trigger.code}];
      if (by_size.size() > kSizesMost) continue;
      Sample& sample = by_size[trigger.bytes];
      const double cpu_s = run.cpu_s();
      sample.n += 1;
      sample.sum += cpu_s;
      sample.squares += cpu_s * cpu_s;
      ++sample.forms[run.key()];
    }
  }
  return classes;
}

bool can_be_tested(const Samples& by_size) {
  if (by_size.size() < 2 || by_size.size() > kSizesMost) return false;
  double n = 0;
  for (const auto& [size, sample] : by_size) n += sample.n;
  return n >= kActivitiesPerSize * static_cast<double>(by_size.size());
}

// eta squared = sum of squares between sizes / total sum of squares.
bool explain_cpu_time(const Samples& by_size) {
  double n = 0, sum = 0, squares = 0, of_means = 0;
  for (const auto& [size, sample] : by_size) {
    n += sample.n;
    sum += sample.sum;
    squares += sample.squares;
    of_means += sample.sum * sample.sum / sample.n;
  }
  const double total = squares - sum * sum / n;
  const double between = of_means - sum * sum / n;
  // Sizes without effect explain (sizes - 1) / n by chance.
  const double by_chance = static_cast<double>(by_size.size()) / n;
  return total > 0 && between / total > kEtaSquaredLeast + by_chance;
}

std::uint64_t commonest(const FormCounts& forms) {
  std::uint64_t most = 0;
  for (const auto& [form, count] : forms) most = std::max(most, count);
  return most;
}

// lambda = (errors - errors knowing the size) / errors, where the guess is always the commonest form.
bool explain_form(const Samples& by_size) {
  double n = 0, right_by_size = 0;
  FormCounts forms;
  for (const auto& [size, sample] : by_size) {
    n += sample.n;
    right_by_size += static_cast<double>(commonest(sample.forms));
    for (const auto& [form, count] : sample.forms) forms[form] += count;
  }
  const double errors = n - static_cast<double>(commonest(forms));
  return errors > kErrorsLeast * n && n - right_by_size < (1 - kLambdaLeast) * errors;
}

}  // namespace

bool tell_kinds_by_size(const Recording& recording, const Groups& groups, const Behaviours& behaviours, Kinds& kinds) {
  bool any = false;
  const Timeouts timeouts(recording, groups, kinds);
  for (const auto& [message_class, by_size] : samples_of({recording, groups, kinds, behaviours, timeouts})) {
    if (!can_be_tested(by_size) || !(explain_cpu_time(by_size) || explain_form(by_size))) continue;
    const auto& [from, to, code] = message_class;
    kinds.tell_by_size(from, to, code);
    any = true;
  }
  return any;
}

}  // namespace dpm::twin
