#include "twin/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace dpm::twin {
namespace {

constexpr double kRunsNearlyAll = 0.98;
constexpr double kUneven = 1.6;              // times its even share: a member is preferred
constexpr std::uint64_t kSendsToJudge = 20;  // before a preference is believed
constexpr std::size_t kRetriesMost = 8;      // of one message

double speed_of(const Recording& recording, std::uint32_t process) {
  const MachineId machine = recording.records[process].machine;
  return machine.value < recording.info.machines.size() ? recording.info.machines[machine.value].speed : 1.0;
}

const std::string& machine_name(const Recording& recording, std::uint32_t process) {
  static const std::string kUnknown;
  const MachineId machine = recording.records[process].machine;
  return machine.value < recording.info.machines.size() ? recording.info.machines[machine.value].name : kUnknown;
}

// Without the cost of the message, which the simulator charges.
double cpu_without_cost(const Recording& recording, std::uint32_t process, const Operation& operation) {
  const double cpu_s = static_cast<double>(operation.cpu_ns) * 1e-9 * speed_of(recording, process);
  if (operation.peer == kNone || operation.kind == OperationKind::move) return cpu_s;
  const bool sends = operation.kind == OperationKind::send;
  const auto& here = machine_name(recording, process);
  const auto& there = machine_name(recording, operation.peer);
  const DelayClass& delays = recording.info.delays.between(sends ? here : there, sends ? there : here);
  const Duration cost =
      sends ? DelayModel::sender_cpu(delays, operation.bytes) : DelayModel::receiver_cpu(delays, operation.bytes);
  return std::max(0.0, cpu_s - cost.seconds());
}

bool same_message(const Token& a, const Token& b) { return a.what == b.what && a.kind == b.kind && a.group == b.group; }

// By token: the number of messages of one kind, one to each member of a group, that begin there in a row; otherwise 0.
std::vector<std::size_t> runs_to_all(const Groups& groups, std::uint32_t process, const std::vector<Token>& tokens) {
  std::vector<std::size_t> runs(tokens.size(), 0);
  for (std::size_t i = 0; i < tokens.size();) {
    const Token& first = tokens[i];
    const bool own_group = first.group != kNone && groups.of[process] == first.group;
    const std::size_t others = first.group == kNone ? 0 : groups.all[first.group].members.size() - (own_group ? 1 : 0);
    std::set<std::uint32_t> members;
    std::size_t end = i;
    while (first.what == Token::What::send && end < tokens.size() && same_message(first, tokens[end]) &&
           members.size() < others && members.insert(tokens[end].member).second)
      ++end;
    const bool to_all = others >= 2 && members.size() == others;
    if (to_all) runs[i] = others;
    i = to_all ? end : i + 1;
  }
  return runs;
}

// A message to each member of a group in a row is one message to all; unless there are others of its kind, because a
// process that draws a member for each message sometimes draws all of them in a row.
void join_to_all(const Groups& groups, std::uint32_t process, std::vector<Token>& tokens) {
  struct Sends {
    std::size_t all = 0, in_runs = 0;
  };
  std::map<std::pair<std::string, std::uint32_t>, Sends> sends;  // by kind and group
  const auto runs = runs_to_all(groups, process, tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].what != Token::What::send) continue;
    Sends& of = sends[{tokens[i].kind, tokens[i].group}];
    ++of.all;
    of.in_runs += runs[i];
  }
  std::vector<Token> joined;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    joined.push_back(tokens[i]);
    const Sends& of = sends[{tokens[i].kind, tokens[i].group}];
    if (runs[i] == 0 || static_cast<double>(of.in_runs) < kRunsNearlyAll * static_cast<double>(of.all)) continue;
    joined.back().to_all = true;
    for (std::size_t others = runs[i] - 1; others > 0; --others) {
      ++i;
      joined.back().cpu_s += tokens[i].cpu_s;
      joined.back().slept_s += tokens[i].slept_s + tokens[i].gave_up_s;
    }
  }
  tokens = std::move(joined);
}

// Waits for the same, one after the other, are one wait for several.
void join_waits(std::vector<Token>& tokens) {
  std::vector<Token> joined;
  for (const Token& token : tokens) {
    if (token.what == Token::What::wait && !joined.empty() && same_message(joined.back(), token)) {
      ++joined.back().times;
      joined.back().cpu_s += token.cpu_s;
      joined.back().slept_s += token.slept_s;
    } else {
      joined.push_back(token);
    }
  }
  tokens = std::move(joined);
}

// The weight for one process, where `members` did something `count` times.
double weight_of(std::uint64_t count, std::size_t members) {
  return static_cast<double>(std::max<std::uint64_t>(1, count / std::max<std::size_t>(1, members)));
}

void add_compute(Steps& steps, const std::vector<double>& samples, std::size_t members) {
  Quantity amount = summarise(samples, members);
  if (mean(amount) > 0) steps.push_back(compute_step(std::move(amount)));
}

void add_sleep(Steps& steps, const std::vector<double>& samples, std::size_t members) {
  Quantity time = summarise(samples, members);
  if (mean(time) > 0) steps.push_back(sleep_step(std::move(time)));
}

// A message that was sent again because its answer did not come in time, always the same time, was sent once, and the wait
// for its answer has a timeout.
void join_retries(const Timeouts& timeouts, std::uint32_t process, std::vector<Token>& tokens) {
  std::vector<Token> joined;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    joined.push_back(tokens[i]);
    const Token& first = tokens[i];
    if (first.what != Token::What::send || !timeouts.is_constant(process, first.kind, first.group)) continue;
    std::size_t last = i;
    while (last + 1 < tokens.size() && last - i < kRetriesMost && same_message(first, tokens[last + 1]) &&
           first.to_all == tokens[last + 1].to_all && tokens[last + 1].gave_up_s > 0)
      ++last;
    if (last == i || last + 1 == tokens.size() || tokens[last + 1].what != Token::What::wait) continue;
    Token wait = tokens[last + 1];
    wait.retries = static_cast<std::uint32_t>(last - i);
    for (std::size_t again = i + 1; again <= last; ++again) {
      wait.timeout_s += tokens[again].gave_up_s / wait.retries;
      wait.cpu_s += tokens[again].cpu_s;
      wait.slept_s += tokens[again].slept_s;
    }
    joined.push_back(std::move(wait));
    i = last + 1;
  }
  tokens = std::move(joined);
}

// What is left of waits that were given up: which form an activity has is decided before it, so the time just passes.
void make_sleeps(std::vector<Token>& tokens) {
  for (Token& token : tokens) token.slept_s += std::exchange(token.gave_up_s, 0.0);
}

// A receive that took nothing, before another, is a part of a longer wait.
double gave_up_s(const Operation& operation) {
  return operation.kind == OperationKind::send ? static_cast<double>(operation.idle.gave_up_ns) * 1e-9 : 0;
}

void add_stop(TokenRun& run) {
  Token stop;
  stop.what = Token::What::stop;
  stop.cpu_s = std::exchange(run.tail_cpu_s, 0.0);
  stop.slept_s = std::exchange(run.tail_slept_s, 0.0);
  run.tokens.push_back(stop);
}

}  // namespace

std::string TokenRun::key() const {
  std::string key;
  for (const Token& token : tokens) {
    key += token.what == Token::What::stop ? 'X' : token.what == Token::What::wait ? 'W' : token.to_all ? 'A' : 'S';
    key += fmt::format("{}:{}*{};", token.kind, token.group, token.times);
  }
  return key;
}

double TokenRun::cpu_s() const {
  return std::accumulate(tokens.begin(), tokens.end(), tail_cpu_s,
                         [](double sum, const Token& token) { return sum + token.cpu_s; });
}

TokenRun messages_of(const Material& material, std::uint32_t process, std::uint32_t begin, std::uint32_t end,
                     std::uint64_t tail_cpu_ns) {
  const ProcessRecord& record = material.recording.records[process];
  TokenRun run;
  run.process = process;
  double carried_s = 0, carried_slept_s = 0;  // before operations that have no token
  std::map<std::uint32_t, std::uint32_t> moved;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Operation& operation = record.operations[i];
    carried_s += cpu_without_cost(material.recording, process, operation);
    carried_slept_s += static_cast<double>(operation.idle.slept_ns) * 1e-9;
    if (operation.peer == kNone || material.groups.of[operation.peer] == kNone) continue;
    if (operation.kind == OperationKind::move) {
      moved[operation.peer] = std::max(moved[operation.peer], operation.bytes);
      continue;
    }
    Token token;
    token.operation = i;
    token.what = operation.kind == OperationKind::send ? Token::What::send : Token::What::wait;
    token.group = material.groups.of[operation.peer];
    token.kind = operation.kind == OperationKind::send ? material.kinds.of(process, operation.peer, operation)
                                                       : material.kinds.of(operation.peer, process, operation);
    token.cpu_s = std::exchange(carried_s, 0.0);
    token.slept_s = std::exchange(carried_slept_s, 0.0);
    token.gave_up_s = gave_up_s(operation);
    token.bytes = operation.bytes;
    token.member = material.groups.member_of[operation.peer];
    token.of = static_cast<std::uint32_t>(material.groups.all[material.groups.of[operation.peer]].members.size());
    token.destination = material.behaviours.of[process].destinations[i];
    // Data that a kernel has just moved to the same process arrive first: the message counts with the longer of both
    // lengths.
    if (operation.kind == OperationKind::send && moved.count(operation.peer) != 0) {
      if (token.cpu_s <= 0) token.bytes = std::max<double>(token.bytes, moved[operation.peer]);
      moved.erase(operation.peer);
    }
    run.tokens.push_back(std::move(token));
  }
  run.tail_slept_s = carried_slept_s;
  run.tail_cpu_s = carried_s + static_cast<double>(tail_cpu_ns) * 1e-9 * speed_of(material.recording, process);
  return run;
}

TokenRun tokens_of(const Material& material, std::uint32_t process, std::uint32_t begin, std::uint32_t end,
                   std::uint64_t tail_cpu_ns, bool stops) {
  TokenRun run = messages_of(material, process, begin, end, tail_cpu_ns);
  for (Token& token : run.tokens)
    if (token.what == Token::What::wait && material.behaviours.of[process].waits_for_several[token.operation])
      token.group = kNone;
  join_to_all(material.groups, process, run.tokens);
  join_waits(run.tokens);
  join_retries(material.timeouts, process, run.tokens);
  make_sleeps(run.tokens);
  if (stops) add_stop(run);
  return run;
}

TokenRun tokens_of(const Material& material, std::uint32_t process, const Activity& activity, bool stops) {
  TokenRun run = tokens_of(material, process, activity.begin, activity.end, activity.tail_cpu_ns, false);
  run.tail_slept_s += static_cast<double>(activity.tail_idle.slept_ns) * 1e-9;
  if (stops) add_stop(run);
  return run;
}

void Shape::add(const TokenRun& run) {
  ++count_;
  for (std::size_t i = 0; i < run.tokens.size(); ++i) {
    const Token& token = run.tokens[i];
    Slot& slot = slots_[i];
    cpu_[i].push_back(token.cpu_s);
    slept_[i].push_back(token.slept_s);
    slot.retries_most = std::max(slot.retries_most, token.retries);
    if (token.retries > 0) slot.timeout_s.push_back(token.timeout_s);
    if (token.what != Token::What::send) continue;
    slot.bytes.push_back(token.bytes);
    ++slot.sends;
    slot.to_sender += token.destination.is_sender;
    slot.to_requester += token.destination.is_requester;
    ++slot.by_member[token.member];
    const auto [latest, is_first] = slot.latest.try_emplace(run.process, token.member);
    if (!is_first) {
      ++slot.turns;
      slot.in_turn += token.member == (latest->second + 1) % token.of;
      latest->second = token.member;
    }
  }
  cpu_.back().push_back(run.tail_cpu_s);
  slept_.back().push_back(run.tail_slept_s);
}

void Shape::add_forced(const TokenRun& run) {
  ++count_;
  ++forced_;
  for (auto* all : {&cpu_, &slept_})
    for (auto& samples : *all) samples.push_back(0);
  cpu_.front().back() = run.cpu_s();
}

Steps Shape::steps(const Material& material, std::size_t members, std::vector<std::string>& warnings) const {
  Steps steps;
  for (std::size_t i = 0; i < form_.size(); ++i) {
    add_sleep(steps, slept_[i], members);
    add_compute(steps, cpu_[i], members);
    const Token& token = form_[i];
    switch (token.what) {
      case Token::What::send:
        steps.push_back(sending(material, i, members, warnings));
        break;
      case Token::What::wait:
        steps.push_back(waiting(material, i, members, warnings));
        break;
      case Token::What::stop:
        steps.push_back(stop_step());
        break;
    }
  }
  add_sleep(steps, slept_.back(), members);
  add_compute(steps, cpu_.back(), members);
  return steps;
}

// As often as it was seen to send again, and at last without a timeout.
Step Shape::waiting(const Material& material, std::size_t at, std::size_t members,
                    std::vector<std::string>& warnings) const {
  const Token& token = form_[at];
  const Slot& slot = slots_[at];
  const std::string from = token.group == kNone ? "" : material.groups.all[token.group].name;
  Step wait = wait_step(token.kind, from, token.times);
  for (std::uint32_t retry = 0; retry < slot.retries_most; ++retry) {
    Timeout timeout{summarise(slot.timeout_s, members), {sending(material, at - 1, members, warnings)}};
    timeout.steps.push_back(std::move(wait));
    wait = wait_step(token.kind, from, token.times, std::move(timeout));
  }
  return wait;
}

bool Shape::waits_before(std::size_t at) const {
  return std::any_of(form_.begin(), form_.begin() + static_cast<std::ptrdiff_t>(at),
                     [](const Token& token) { return token.what == Token::What::wait; });
}

Step Shape::sending(const Material& material, std::size_t at, std::size_t members,
                    std::vector<std::string>& warnings) const {
  const Token& token = form_[at];
  const Slot& slot = slots_[at];
  const Group& group = material.groups.all[token.group];
  const auto to = [&](const std::string& whom, Pick pick = Pick::random) {
    return send_step(token.kind, whom, summarise(slot.bytes, members), pick);
  };
  const auto nearly_all = [&](std::uint64_t part, std::uint64_t all) {
    return all > 0 && static_cast<double>(part) >= kRunsNearlyAll * static_cast<double>(all);
  };
  if (token.to_all) return to(group.name, Pick::all);
  if (slot.to_sender == slot.sends && (group.members.size() > 1 || !waits_before(at))) return to("sender");
  if (nearly_all(slot.to_requester, slot.sends)) return to(group.name, Pick::requester);
  if (group.members.size() == 1) return to(group.name);
  const auto most = std::max_element(slot.by_member.begin(), slot.by_member.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const double even = static_cast<double>(slot.sends) / static_cast<double>(group.members.size());
  if (nearly_all(slot.in_turn, slot.turns)) return to(group.name, Pick::in_turn);
  if (slot.sends >= kSendsToJudge && static_cast<double>(most->second) > kUneven * even) {
    steps::Choose choice{.dealt = true};
    for (const auto& [member, count] : slot.by_member)
      choice.branches.push_back({weight_of(count, members), {to(group.member_name(member))}});
    return {choice};
  }
  if (slot.to_sender + slot.to_requester > slot.sends / 2)
    warnings.push_back(fmt::format(
        "which '{}' gets '{}' is not understood: most go to the requester, and the twin draws one at random",
        group.name, token.kind));
  return to(group.name);
}

std::size_t Shapes::add(const TokenRun& run) {
  const auto [known, is_new] = numbers_.try_emplace(run.key(), shapes_.size());
  if (is_new) {
    shapes_.emplace_back(run);
    runs_.emplace_back();
  }
  shapes_[known->second].add(run);
  runs_[known->second].push_back(run);
  return known->second;
}

std::optional<std::size_t> Shapes::find(const std::string& key) const {
  const auto found = numbers_.find(key);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

std::string Shapes::key_of(std::size_t shape) const { return runs_.at(shape).front().key(); }

void Shapes::merge(std::size_t into, std::size_t from) {
  for (TokenRun run : runs_[from]) {
    run.tail_cpu_s += run.tokens.back().cpu_s;
    run.tail_slept_s += run.tokens.back().slept_s;
    run.tokens.pop_back();
    shapes_[into].add(run);
    runs_[into].push_back(std::move(run));
  }
  shapes_[from] = Shape(runs_[from].front());
}

void Shapes::drop_empty(std::map<std::uint32_t, std::vector<std::size_t>>& order) {
  std::vector<std::size_t> new_number(shapes_.size());
  std::vector<Shape> shapes;
  std::vector<std::vector<TokenRun>> runs;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    new_number[i] = shapes.size();
    if (shapes_[i].count() == 0) continue;
    shapes.push_back(std::move(shapes_[i]));
    runs.push_back(std::move(runs_[i]));
  }
  shapes_ = std::move(shapes);
  runs_ = std::move(runs);
  numbers_.clear();
  for (std::size_t i = 0; i < shapes_.size(); ++i) numbers_.emplace(key_of(i), i);
  for (auto& [process, numbers] : order)
    for (std::size_t& number : numbers) number = new_number[number];
}

void Shapes::keep_commonest(std::size_t most) {
  std::vector<std::size_t> order(shapes_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shapes_[a].count() > shapes_[b].count(); });
  const std::size_t kept = std::min(most, order.size());
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < kept; ++i) shapes.push_back(shapes_[order[i]]);
  const auto distance = [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; };
  for (std::size_t i = kept; i < order.size(); ++i) {
    const std::size_t length = shapes_[order[i]].length();
    std::size_t nearest = 0;
    for (std::size_t j = 1; j < kept; ++j)
      if (distance(shapes[j].length(), length) < distance(shapes[nearest].length(), length)) nearest = j;
    for (const TokenRun& run : runs_[order[i]]) shapes[nearest].add_forced(run);
  }
  shapes_ = std::move(shapes);
  runs_.clear();
}

Steps Shapes::steps(const Material& material, std::size_t members, std::vector<std::string>& warnings) const {
  if (shapes_.size() == 1) return shapes_.front().steps(material, members, warnings);
  steps::Choose choice{.dealt = true};
  for (const Shape& shape : shapes_)
    if (shape.count() > 0)
      choice.branches.push_back(
          {weight_of(shape.count() + members / 2, members), shape.steps(material, members, warnings)});
  if (choice.branches.empty()) return {};
  if (choice.branches.size() == 1) return choice.branches.front().steps;
  return {{choice}};
}

Steps Shapes::steps_in_order(const Material& material, const std::vector<std::size_t>& order,
                             std::vector<std::string>& warnings) const {
  if (shapes_.size() == 1) return shapes_.front().steps(material, 1, warnings);
  steps::Choose choice;
  for (const Shape& shape : shapes_)
    choice.branches.push_back({static_cast<double>(shape.count()), shape.steps(material, 1, warnings)});
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || order[i] != order[i - 1]) choice.order.push_back(order[i] + 1), choice.times.push_back(0);
    ++choice.times.back();
  }
  return {{choice}};
}

std::uint64_t Shapes::once() const {
  if (shapes_.size() < 2) return 0;
  return static_cast<std::uint64_t>(
      std::count_if(shapes_.begin(), shapes_.end(), [](const Shape& shape) { return shape.count() == 1; }));
}

std::uint64_t Shapes::forced() const {
  return std::accumulate(shapes_.begin(), shapes_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Shape& shape) { return sum + shape.forced(); });
}

}  // namespace dpm::twin
