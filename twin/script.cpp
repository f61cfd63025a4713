#include "twin/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace dpm::twin {
namespace {

constexpr std::size_t kLongestNodePeriod = 64;  // of repeated nodes
constexpr std::size_t kDeepest = 4;             // repeats within repeats

// A message, or repeated nodes. Values of repeated nodes are kept together.
struct Node {
  std::size_t signature = 0;  // nodes of the same signature differ only in values
  Token token;                // of a message
  std::vector<double> cpu_s, slept_s, bytes;
  std::uint64_t times = 1;
  std::vector<Node> inner;  // of a repeat
};

void take_values(Node& into, Node& from) {
  std::move(from.cpu_s.begin(), from.cpu_s.end(), std::back_inserter(into.cpu_s));
  std::move(from.slept_s.begin(), from.slept_s.end(), std::back_inserter(into.slept_s));
  std::move(from.bytes.begin(), from.bytes.end(), std::back_inserter(into.bytes));
  for (std::size_t i = 0; i < into.inner.size(); ++i) take_values(into.inner[i], from.inner[i]);
}

// Numbers descriptions: equal descriptions get the same number.
class Signatures {
 public:
  std::size_t of(const std::string& description) {
    return numbers_.try_emplace(description, numbers_.size()).first->second;
  }

 private:
  std::map<std::string, std::size_t> numbers_;
};

// How often the `period` nodes at `at` come in a row.
std::size_t times_at(const std::vector<Node>& nodes, std::size_t at, std::size_t period) {
  std::size_t same = 0;
  while (at + period + same < nodes.size() && nodes[at + same].signature == nodes[at + period + same].signature) ++same;
  return 1 + same / period;
}

// One pass: nodes that come at least twice in a row become a repeat. False if there were none.
bool fold(std::vector<Node>& nodes, Signatures& signatures) {
  std::vector<Node> folded;
  bool any = false;
  for (std::size_t at = 0; at < nodes.size();) {
    std::size_t best_period = 0, best_times = 0, best_saved = 0;
    for (std::size_t period = 1; period <= kLongestNodePeriod && at + 2 * period <= nodes.size(); ++period) {
      const std::size_t times = times_at(nodes, at, period);
      const std::size_t saved = (times - 1) * period;
      if (saved <= best_saved) continue;
      best_period = period, best_times = times, best_saved = saved;
    }
    // A repeat is a step too: one that saves a single step does not help the reader.
    if (best_saved < 2) {
      folded.push_back(std::move(nodes[at++]));
      continue;
    }
    any = true;
    Node repeat;
    repeat.times = best_times;
    std::string description = std::to_string(best_times) + "*";
    for (std::size_t i = 0; i < best_period; ++i) {
      description += std::to_string(nodes[at + i].signature) + ",";
      repeat.inner.push_back(std::move(nodes[at + i]));
    }
    for (std::size_t i = best_period; i < best_times * best_period; ++i)
      take_values(repeat.inner[i % best_period], nodes[at + i]);
    repeat.signature = signatures.of(description);
    at += best_times * best_period;
    folded.push_back(std::move(repeat));
  }
  nodes = std::move(folded);
  return any;
}

void add_compute(Steps& steps, const std::vector<double>& samples) {
  Quantity amount = summarise(samples, 1);
  if (mean(amount) > 0) steps.push_back(compute_step(std::move(amount)));
}

void add_sleep(Steps& steps, const std::vector<double>& samples) {
  Quantity time = summarise(samples, 1);
  if (mean(time) > 0) steps.push_back(sleep_step(std::move(time)));
}

class ScriptWriter {
 public:
  ScriptWriter(const Material& material, std::uint32_t process) : material_(material), process_(process) {}

  void write(TwinProgram& program) {
    std::vector<Node> nodes = messages();
    for (std::size_t depth = 0; depth < kDeepest; ++depth)
      if (!fold(nodes, signatures_)) break;
    add_steps(nodes, program.start);
    add_compute(program.start, {tail_s_});
  }

 private:
  std::vector<Node> messages() {
    const ProcessRecord& record = material_.recording.records[process_];
    const auto end = static_cast<std::uint32_t>(record.operations.size());
    const TokenRun run = messages_of(material_, process_, 0, end, record.tail_cpu_ns);
    std::vector<Node> nodes;
    double carried_s = 0, carried_slept_s = 0;  // before messages that nothing in the trace sent
    for (const Token& token : run.tokens) {
      carried_s += token.cpu_s;
      carried_slept_s += token.slept_s + token.gave_up_s;
      if (token.what == Token::What::wait && record.operations[token.operation].match == kNone) continue;
      Node node;
      node.token = token;
      node.cpu_s.push_back(std::exchange(carried_s, 0.0));
      node.slept_s.push_back(std::exchange(carried_slept_s, 0.0));
      node.bytes.push_back(token.bytes);
      node.signature = signatures_.of(
          fmt::format("{}:{}.{}", token.what == Token::What::send ? "S" + token.kind : "W", token.group, token.member));
      nodes.push_back(std::move(node));
    }
    tail_s_ = run.tail_cpu_s + carried_s;
    return nodes;
  }

  void add_steps(const std::vector<Node>& nodes, Steps& steps) const {
    for (const Node& node : nodes) {
      if (!node.inner.empty()) {
        Steps inner;
        add_steps(node.inner, inner);
        steps.push_back(repeat_step({node.times}, std::move(inner)));
        continue;
      }
      add_sleep(steps, node.slept_s);
      add_compute(steps, node.cpu_s);
      const Token& token = node.token;
      const std::string& whom = material_.groups.all[token.group].member_name(token.member);
      // The sender knows the kind: the script takes the messages of each sender in the order they come.
      steps.push_back(token.what == Token::What::send ? send_step(token.kind, whom, summarise(node.bytes, 1))
                                                      : wait_step("any", whom));
    }
  }

  const Material& material_;
  const std::uint32_t process_;
  Signatures signatures_;
  double tail_s_ = 0;
};

}  // namespace

void write_script(const Material& material, std::uint32_t process, TwinGroup& twin) {
  ScriptWriter(material, process).write(twin.program);
  twin.as_recorded = true;
  twin.starts_requests = material.recording.records[process].speaks_first();
}

}  // namespace dpm::twin
