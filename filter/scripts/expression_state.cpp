#include "filter/scripts/expression_state.hpp"

#include <algorithm>

#include "filter/scripts/field_condition.hpp"

namespace dpm {
namespace {

using Kind = EventExpression::Kind;

bool agree(const Match& a, const Match& b) {
  const unsigned both = a.bound & b.bound;
  for (std::size_t v = 0; v < kVariablesMost; ++v)
    if ((both >> v & 1u) != 0 && a.values[v] != b.values[v]) return false;
  return true;
}

// All of `earlier` happened before all of `later`. `now` is the clock of the event that completes `later`.
bool happened_before(const Match& earlier, const Match& later, const VectorClock& now) {
  for (const Match::Part& begin : later.parts) {
    if (!begin.is_begin) continue;
    const VectorClock& clock = begin.clock != nullptr ? *begin.clock : now;
    for (const Match::Part& end : earlier.parts) {
      if (!end.is_end) continue;
      const PrimitiveOccurrence &a = end.occurrence, &b = begin.occurrence;
      if (a.process == b.process ? a.count >= b.count : clock.count_of(a.process) < a.count) return false;
    }
  }
  return true;
}

Match joined(Match earlier, Match later, bool in_order) {
  if (in_order) {
    for (Match::Part& part : earlier.parts) part.is_end = false;
    for (Match::Part& part : later.parts) part.is_begin = false;
  }
  earlier.parts.insert(earlier.parts.end(), std::make_move_iterator(later.parts.begin()),
                       std::make_move_iterator(later.parts.end()));
  for (std::size_t v = 0; v < kVariablesMost; ++v)
    if ((later.bound >> v & 1u) != 0) earlier.values[v] = later.values[v];
  earlier.bound = static_cast<std::uint8_t>(earlier.bound | later.bound);
  earlier.first_ns = std::min(earlier.first_ns, later.first_ns);
  earlier.last_ns = std::max(earlier.last_ns, later.last_ns);
  earlier.first_number = std::min(earlier.first_number, later.first_number);
  earlier.number = std::max(earlier.number, later.number);
  return earlier;
}

}  // namespace

ExpressionState::ExpressionState(const EventExpression& expression, bool clocks_are_asked)
    : expression_(expression), clocks_are_asked_(clocks_are_asked) {
  const bool is_sequence = expression.kind == Kind::then || expression.kind == Kind::then_not ||
                           expression.kind == Kind::without || expression.kind == Kind::absent;
  for (std::size_t p = 0; p < expression.parts.size(); ++p) {
    // The clock of a single event on the right is there when it happens. What may be between waits, and needs its own.
    const bool asks = is_sequence && (p == 2 || (p == 1 && expression.parts[p].kind != Kind::primitive));
    parts_.emplace_back(expression.parts[p], clocks_are_asked || asks);
  }
  for (const FieldCondition& condition : expression.conditions)
    if (condition.variable) surely_bound_ = static_cast<std::uint8_t>(surely_bound_ | 1u << *condition.variable);
  if (parts_.empty()) return;
  surely_bound_ = parts_[0].surely_bound_;
  if (parts_.size() == 1) return;
  common_ = parts_[0].surely_bound_ & parts_[1].surely_bound_;
  if (parts_.size() == 3) common_ = common_ & parts_[2].surely_bound_;
  if (expression.kind == Kind::either)
    surely_bound_ = common_;
  else if (expression.kind == Kind::absent)
    surely_bound_ = parts_[1].surely_bound_;
  else if (expression.kind != Kind::then_not && expression.kind != Kind::both_not)
    surely_bound_ = parts_[0].surely_bound_ | parts_[1].surely_bound_;
}

void ExpressionState::add(const PrimitiveOccurrence& occurrence, const VectorClock& clock, std::uint64_t number,
                          std::vector<Match>& complete) {
  if (expression_.kind == Kind::primitive) return add_primitive(occurrence, clock, number, complete);
  std::vector<Match> left, right, between;
  // The right side first: what an occurrence adds to the left does not precede the occurrence itself.
  if (parts_.size() >= 2) parts_[1].add(occurrence, clock, number, right);
  if (parts_.size() == 3) parts_[2].add(occurrence, clock, number, between);
  parts_[0].add(occurrence, clock, number, left);
  if (!left.empty() || !right.empty()) combine(left, right, clock, complete);
  for (Match& match : between) wait(right_, std::move(match));
}

void ExpressionState::add_primitive(const PrimitiveOccurrence& occurrence, const VectorClock& clock,
                                    std::uint64_t number, std::vector<Match>& complete) const {
  if (occurrence.event != expression_.event) return;
  Match match;
  for (const FieldCondition& condition : expression_.conditions) {
    const WholeNumber value = occurrence.fields[static_cast<std::size_t>(condition.field)];
    if (!condition.variable) {
      if (!compares(value, condition.comparison, condition.number)) return;
      continue;
    }
    const auto bit = static_cast<std::uint8_t>(1u << *condition.variable);
    if ((match.bound & bit) != 0 && match.values[*condition.variable] != value) return;
    match.values[*condition.variable] = value;
    match.bound = static_cast<std::uint8_t>(match.bound | bit);
  }
  match.parts.push_back({occurrence, clocks_are_asked_ ? std::make_shared<const VectorClock>(clock) : nullptr});
  match.first_ns = match.last_ns = occurrence.time_ns;
  match.first_number = match.number = number;
  complete.push_back(std::move(match));
}

void ExpressionState::combine(std::vector<Match>& left, std::vector<Match>& right, const VectorClock& clock,
                              std::vector<Match>& complete) {
  switch (expression_.kind) {
    case Kind::primitive:
      return;
    case Kind::either:
      for (auto* side : {&left, &right})
        for (Match& match : *side) complete.push_back(std::move(match));
      return;
    case Kind::then:
      for (Match& match : right)
        if (auto earlier = take_fitting(left_, match, clock, true))
          complete.push_back(joined(*std::move(earlier), std::move(match), true));
      break;
    case Kind::without:
      for (Match& match : right)
        if (auto earlier = take_fitting(left_, match, clock, true))
          complete.push_back(joined(*std::move(earlier), std::move(match), true));
      break;
    case Kind::then_not:
      for (const Match& match : right) drop_fitting(match, clock, true);
      break;
    case Kind::absent:
      for (Match& match : right)
        if (!has_fitting(left_, match, clock, true)) complete.push_back(std::move(match));
      for (Match& match : left) wait_first(std::move(match));
      return;
    case Kind::both_not:
      for (Match& match : right) {
        drop_fitting(match, clock, false);
        wait(right_, std::move(match));
      }
      for (Match& match : left)
        if (!has_fitting(right_, match, clock, false)) wait(left_, std::move(match));
      return;
    case Kind::both:
      for (Match& match : right) {
        if (auto earlier = take_fitting(left_, match, clock, false))
          complete.push_back(joined(*std::move(earlier), std::move(match), false));
        else
          wait(right_, std::move(match));
      }
      for (Match& match : left) {
        if (auto earlier = take_fitting(right_, match, clock, false))
          complete.push_back(joined(*std::move(earlier), std::move(match), false));
        else
          wait(left_, std::move(match));
      }
      return;
    case Kind::count:
      for (Match& match : left) add_counted(std::move(match), complete);
      return;
  }
  for (Match& match : left) wait(left_, std::move(match));
}

void ExpressionState::add_counted(Match match, std::vector<Match>& complete) {
  auto& group = counted_[key_of(match)];
  if (expression_.within_ns)
    while (!group.empty() && group.front().first_ns < match.last_ns - *expression_.within_ns) group.pop_front();
  group.push_back(std::move(match));
  if (group.size() < expression_.count) return;
  Match all = std::move(group.front());
  for (std::size_t i = 1; i < group.size(); ++i) all = joined(std::move(all), std::move(group[i]), false);
  counted_.erase(key_of(all));
  complete.push_back(std::move(all));
}

void ExpressionState::time_is(std::int64_t time_ns, std::vector<Match>& complete) {
  std::vector<Match> left, right, between;
  if (!parts_.empty()) parts_[0].time_is(time_ns, left);
  if (parts_.size() >= 2) parts_[1].time_is(time_ns, right);
  if (parts_.size() == 3) parts_[2].time_is(time_ns, between);
  // Such a match was completed by a time. Its parts have the clocks that are needed.
  if (!left.empty() || !right.empty()) combine(left, right, VectorClock(), complete);
  for (Match& match : between) wait(right_, std::move(match));
  if (!expression_.within_ns || expression_.kind == Kind::count) return;
  const bool ends_by_time = expression_.kind == Kind::then_not || expression_.kind == Kind::both_not;
  if (!ends_by_time) drop_old(left_, time_ns - *expression_.within_ns);
  drop_old(right_, time_ns - *expression_.within_ns);
  if (!ends_by_time) return;
  std::vector<Match> over;
  for (auto& [key, by_process] : left_.groups)
    for (auto& [process, matches] : by_process)
      while (!matches.empty() && matches.front().last_ns + *expression_.within_ns < time_ns) {
        over.push_back(std::move(matches.front()));
        matches.pop_front();
        --left_.size;
      }
  if (over.empty()) return;
  for (auto& [key, by_process] : left_.groups)
    std::erase_if(by_process, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(left_.groups, [](const auto& entry) { return entry.second.empty(); });
  std::sort(over.begin(), over.end(), [](const Match& a, const Match& b) { return a.number < b.number; });
  for (Match& match : over) {
    match.last_ns += *expression_.within_ns;
    complete.push_back(std::move(match));
  }
}

std::uint64_t ExpressionState::given_up() const {
  std::uint64_t sum = given_up_;
  for (const ExpressionState& part : parts_) sum += part.given_up();
  return sum;
}

std::uint64_t ExpressionState::key_of(const Match& match) const {
  const unsigned variables = expression_.kind == Kind::count ? surely_bound_ : common_;
  std::uint64_t key = 0;
  for (std::size_t v = 0; v < kVariablesMost; ++v)
    if ((variables >> v & 1u) != 0) key = (key ^ match.values[v].bits()) * 0x9e3779b97f4a7c15 + v;
  return key;
}

void ExpressionState::wait(Waiting& waiting, Match match) {
  const auto end = std::find_if(match.parts.begin(), match.parts.end(), [](const auto& part) { return part.is_end; });
  if (waiting.size == kWaitingMost) {
    // The oldest of one process: with this number of them, it hardly matters of which.
    auto& by_process = waiting.groups.begin()->second;
    auto& oldest = by_process.begin()->second;
    oldest.pop_front();
    if (oldest.empty()) by_process.erase(by_process.begin());
    if (by_process.empty()) waiting.groups.erase(waiting.groups.begin());
    --waiting.size;
    ++given_up_;
  }
  waiting.groups[key_of(match)][end->occurrence.process].push_back(std::move(match));
  ++waiting.size;
}

bool ExpressionState::fits(const Match& earlier, const Match& later, const VectorClock& clock, bool in_order) const {
  if (expression_.within_ns &&
      std::max(earlier.last_ns, later.last_ns) - std::min(earlier.first_ns, later.first_ns) > *expression_.within_ns)
    return false;
  return agree(earlier, later) && (!in_order || happened_before(earlier, later, clock));
}

std::optional<Match> ExpressionState::take_fitting(Waiting& waiting, const Match& later, const VectorClock& clock,
                                                   bool in_order) {
  const auto group = waiting.groups.find(key_of(later));
  if (group == waiting.groups.end()) return std::nullopt;
  std::deque<Match>* best = nullptr;
  std::size_t best_at = 0;
  std::uint32_t best_process = 0;
  for (auto& [process, matches] : group->second) {
    for (std::size_t i = matches.size(); i-- > 0;) {
      if (best != nullptr && matches[i].number < (*best)[best_at].number) break;
      if (!fits(matches[i], later, clock, in_order)) continue;
      if (expression_.kind == Kind::without && has_between(matches[i], later, clock)) {
        // What is after one event of a process is after the earlier ones too.
        if (matches[i].parts.size() == 1 && (matches[i].bound & ~common_) == 0) break;
        continue;
      }
      best = &matches;
      best_at = i;
      best_process = process;
      break;
    }
  }
  if (best == nullptr) return std::nullopt;
  Match match = std::move((*best)[best_at]);
  best->erase(best->begin() + static_cast<std::ptrdiff_t>(best_at));
  --waiting.size;
  if (best->empty()) group->second.erase(best_process);
  if (group->second.empty()) waiting.groups.erase(group);
  return match;
}

bool ExpressionState::has_fitting(const Waiting& waiting, const Match& later, const VectorClock& clock,
                                  bool in_order) const {
  const auto group = waiting.groups.find(key_of(later));
  if (group == waiting.groups.end()) return false;
  for (const auto& [process, matches] : group->second)
    for (const Match& match : matches)
      if (fits(match, later, clock, in_order)) return true;
  return false;
}

// One of those that wait on the right happened after `earlier` and before `later`.
bool ExpressionState::has_between(const Match& earlier, const Match& later, const VectorClock& clock) const {
  const auto group = right_.groups.find(key_of(later));
  if (group == right_.groups.end()) return false;
  for (const auto& [process, matches] : group->second)
    for (std::size_t i = matches.size(); i-- > 0;) {
      const Match& middle = matches[i];
      if (middle.number <= earlier.number) break;
      if (agree(earlier, middle) && agree(middle, later) && happened_before(middle, later, clock) &&
          happened_before(earlier, middle, VectorClock()))
        return true;
    }
  return false;
}

// Of several that nothing tells apart, only the first of a process need wait: it happened before what the others happened
// before.
void ExpressionState::wait_first(Match match) {
  if (!expression_.within_ns && match.parts.size() == 1 && (match.bound & ~common_) == 0) {
    const auto group = left_.groups.find(key_of(match));
    if (group != left_.groups.end() && group->second.contains(match.parts.front().occurrence.process)) return;
  }
  wait(left_, std::move(match));
}

void ExpressionState::drop_fitting(const Match& later, const VectorClock& clock, bool in_order) {
  const auto group = left_.groups.find(key_of(later));
  if (group == left_.groups.end()) return;
  for (auto& [process, matches] : group->second)
    left_.size -= std::erase_if(matches, [&](const Match& earlier) { return fits(earlier, later, clock, in_order); });
  std::erase_if(group->second, [](const auto& entry) { return entry.second.empty(); });
  if (group->second.empty()) left_.groups.erase(group);
}

void ExpressionState::drop_old(Waiting& waiting, std::int64_t before_ns) {
  for (auto group = waiting.groups.begin(); group != waiting.groups.end();) {
    for (auto& [process, matches] : group->second)
      while (!matches.empty() && matches.front().first_ns < before_ns) matches.pop_front(), --waiting.size;
    std::erase_if(group->second, [](const auto& entry) { return entry.second.empty(); });
    group = group->second.empty() ? waiting.groups.erase(group) : std::next(group);
  }
}

}  // namespace dpm
