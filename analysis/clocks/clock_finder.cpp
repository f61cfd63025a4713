// From messages to clocks.
//
// Even clocks may not explain all messages: a clock was stepped, or changed its rate. Then a machine is cut, and counts as two
// clocks, before and after. Less is known of each, but nothing that is known is wrong.
//
// - The messages of two machines contradict each other. The longest time from the beginning that even clocks explain ends
//   where one of them was stepped. Which one, other pairs tell: the machine is cut for which most pairs ask. Of a clock that
//   was set back the readings before and after overlap, so a cut explains few messages, and its partners are cut instead.
// - Each pair agrees, but a circle of messages does not (clock_graph.hpp). Then each machine of the circle is cut in the
//   middle of its messages. What is left of the contradiction is half as long, and is cut again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/clocks/clock_reading.hpp"
#include "analysis/clocks/clocks.hpp"

namespace dpm {
namespace {

constexpr std::size_t kCutsMax = 100;       // with more, the clocks are useless
constexpr std::size_t kMessagesNamed = 12;  // of a circle

// A message between a and b.
struct Observed {
  ClockPoint point;  // over a's reading, b's less a's; a reception counts as the latest moment it can have been
  bool from_a = false;
  std::int64_t a_ns = 0, b_ns = 0;  // as recorded
};
using Observations = std::vector<Observed>;  // by a's time

bool are_possible(std::span<const Observed> observed) {
  std::vector<ClockPoint> not_above, not_below;
  for (const Observed& one : observed) (one.from_a ? not_above : not_below).push_back(one.point);
  return ClockBounds(not_above, not_below).is_possible();
}

// How many of the first ones fit two even clocks: found by doubling, then halving.
std::size_t longest_possible(std::span<const Observed> observed) {
  if (are_possible(observed)) return observed.size();
  std::size_t possible = 1, impossible = 2;
  while (impossible < observed.size() && are_possible(observed.first(impossible))) {
    possible = impossible;
    impossible *= 2;
  }
  impossible = std::min(impossible, observed.size());
  while (impossible - possible > 1) {
    const std::size_t middle = (possible + impossible) / 2;
    (are_possible(observed.first(middle)) ? possible : impossible) = middle;
  }
  return possible;
}

// How many messages are explained if the clock with these readings is cut there.
std::size_t explained(const Observations& observed, std::int64_t Observed::*reading, std::int64_t at_ns) {
  Observations before, after;
  for (const Observed& one : observed) (one.*reading < at_ns ? before : after).push_back(one);
  return longest_possible(before) + longest_possible(after);
}

// Where the messages of two clocks cease to fit.
struct Disagreement {
  MachineId a, b;
  std::int64_t a_ns = 0, b_ns = 0;
  bool may_be_a = false, may_be_b = false;
};

class ClockFinder {
 public:
  ClockFinder(const ClockEvidence& evidence, const TraceInfo& info)
      : evidence_(evidence), info_(info), cuts_(evidence.machines.size()) {
    for (const ClockTraffic& one : evidence.traffic.all())
      if (std::max(one.from, one.to).value < cuts_.size()) traffic_.push_back(&one);
    std::sort(traffic_.begin(), traffic_.end(),
              [](const auto* x, const auto* y) { return std::tie(x->from, x->to) < std::tie(y->from, y->to); });
  }

  Clocks find() {
    for (const ClockEvidence::Machine& machine : evidence_.machines)
      clocks_.tick_ns.push_back(machine.seen ? std::max<std::uint64_t>(1, machine.tick_ns) : 0);
    do build_graph();
    while (cut_a_pair() || cut_a_circle());
    note_steps();
    note_relations();
    return std::move(clocks_);
  }

 private:
  std::int64_t tick(MachineId machine) const { return static_cast<std::int64_t>(clocks_.tick_ns[machine.value]); }
  const std::string& name(MachineId machine) const { return info_[machine].name; }

  void build_graph() {
    std::vector<bool> has_traffic(evidence_.machines.size());
    for (const ClockTraffic* one : traffic_) has_traffic[one->from.value] = has_traffic[one->to.value] = true;
    std::vector<EvenClock> clocks;
    clocks_.stretches.of_machine.assign(evidence_.machines.size(), {});
    for (std::uint16_t m = 0; m < has_traffic.size(); ++m) {
      if (!has_traffic[m]) continue;
      const ClockEvidence::Machine& machine = evidence_.machines[m];
      std::int64_t from_ns = machine.first_ns;
      const auto add = [&](std::int64_t to_ns) {
        clocks_.stretches.of_machine[m].push_back({from_ns, static_cast<std::uint32_t>(clocks.size())});
        clocks.push_back({{m}, machine.first_ns, from_ns, to_ns});
        from_ns = to_ns;
      };
      for (const std::int64_t at_ns : cuts_[m]) add(at_ns);
      add(machine.last_ns);
    }
    clocks_.graph = ClockGraph(std::move(clocks));
    for (const ClockTraffic* one : traffic_) add_messages(one->from, one->to, one->points);
    for (const auto& [a, b] : useless_) clocks_.graph.drop(a, b);
  }

  void add_messages(MachineId from, MachineId to, std::span<const ClockPoint> points) {
    const auto add = [&](std::uint32_t sender, std::uint32_t receiver, std::span<const ClockPoint> messages) {
      clocks_.graph.add(sender, receiver, messages, tick(to));
    };
    if (cuts_[from.value].empty() && cuts_[to.value].empty())
      return add(clocks_.stretches.clock_at(from, 0), clocks_.stretches.clock_at(to, 0), points);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<ClockPoint>> parts;
    for (const ClockPoint& point : points)
      parts[{clocks_.stretches.clock_at(from, point.at_ns),
             clocks_.stretches.clock_at(to, point.at_ns + point.offset_ns)}]
          .push_back(point);
    for (const auto& [ends, messages] : parts) add(ends.first, ends.second, messages);
  }

  // The messages between two clocks of the graph.
  Observations observations(std::uint32_t clock_a, std::uint32_t clock_b) const {
    const MachineId a = clocks_.graph.clock(clock_a).machine, b = clocks_.graph.clock(clock_b).machine;
    Observations observed;
    const auto add = [&](const Observed& one) {
      if (clocks_.stretches.clock_at(a, one.a_ns) == clock_a && clocks_.stretches.clock_at(b, one.b_ns) == clock_b)
        observed.push_back(one);
    };
    if (const auto* there = evidence_.traffic.find(a, b))
      for (const ClockPoint& point : there->points)
        add({{point.at_ns, point.offset_ns + tick(b)}, true, point.at_ns, point.at_ns + point.offset_ns});
    if (const auto* back = evidence_.traffic.find(b, a))
      for (const ClockPoint& point : back->points)
        add({{point.at_ns + point.offset_ns + tick(a), -point.offset_ns - tick(a)},
             false,
             point.at_ns + point.offset_ns,
             point.at_ns});
    // Also of one instant, in an order that does not depend on which message was read first.
    std::sort(observed.begin(), observed.end(), [](const Observed& x, const Observed& y) {
      return std::tie(x.point.at_ns, x.point.offset_ns, x.from_a) <
             std::tie(y.point.at_ns, y.point.offset_ns, y.from_a);
    });
    return observed;
  }

  Disagreement disagreement(std::uint32_t clock_a, std::uint32_t clock_b) const {
    const Observations observed = observations(clock_a, clock_b);
    const Observed& first = observed[std::min(longest_possible(observed), observed.size() - 1)];
    const std::size_t by_a = explained(observed, &Observed::a_ns, first.a_ns);
    const std::size_t by_b = explained(observed, &Observed::b_ns, first.b_ns);
    const std::size_t enough = std::max(by_a, by_b) - std::max(by_a, by_b) / 10;
    return {clocks_.graph.clock(clock_a).machine,
            clocks_.graph.clock(clock_b).machine,
            first.a_ns,
            first.b_ns,
            by_a >= enough,
            by_b >= enough};
  }

  // True if the graph must be built again.
  bool cut_a_pair() {
    std::vector<Disagreement> all;
    std::map<std::uint16_t, std::size_t> votes;
    for (std::uint32_t a = 0; a < clocks_.graph.size(); ++a) {
      for (std::uint32_t b = a + 1; b < clocks_.graph.size(); ++b) {
        if (clocks_.graph.is_possible(a, b)) continue;
        if (cut_count_ == kCutsMax) {
          useless_.insert({a, b});
          clocks_.graph.drop(a, b);
          continue;
        }
        all.push_back(disagreement(a, b));
        if (all.back().may_be_a) ++votes[all.back().a.value];
        if (all.back().may_be_b) ++votes[all.back().b.value];
      }
    }
    if (all.empty()) return false;
    // Of two, the later: the clock of the first machine is the reference of the others.
    const auto most =
        std::max_element(votes.begin(), votes.end(), [](const auto& x, const auto& y) { return x.second <= y.second; });
    const Disagreement* earliest = nullptr;
    const auto of_it = [&](const Disagreement& one) { return one.a.value == most->first ? one.a_ns : one.b_ns; };
    for (const Disagreement& one : all) {
      const bool is_of_it =
          (one.may_be_a && one.a.value == most->first) || (one.may_be_b && one.b.value == most->first);
      if (is_of_it && (earliest == nullptr || of_it(one) < of_it(*earliest))) earliest = &one;
    }
    if (!cut({most->first}, of_it(*earliest))) cut_count_ = kCutsMax;  // readings that no cut can tell apart
    disagreements_.push_back(*earliest);
    return true;
  }

  // False if the clock is cut there.
  bool cut(MachineId machine, std::int64_t at_ns) {
    auto& cuts = cuts_[machine.value];
    const auto place = std::lower_bound(cuts.begin(), cuts.end(), at_ns);
    if (place != cuts.end() && *place == at_ns) return false;
    cuts.insert(place, at_ns);
    ++cut_count_;
    return true;
  }

  bool cut_a_circle() {
    clocks_.graph.close();
    const std::vector<ClockMessage> circle = clocks_.graph.contradiction();
    if (circle.empty()) return false;
    std::map<MachineId, std::pair<std::int64_t, std::int64_t>> readings;
    for (const ClockMessage& message : circle) {
      for (const auto& [clock, at_ns] : {std::pair{message.from, message.sent_ns}, {message.to, message.received_ns}}) {
        auto& range = readings.try_emplace(clocks_.graph.clock(clock).machine, at_ns, at_ns).first->second;
        range = {std::min(range.first, at_ns), std::max(range.second, at_ns)};
      }
    }
    bool is_cut = false;
    for (const auto& [machine, range] : readings) {
      const std::int64_t middle_ns = range.first + (range.second - range.first) / 2;
      if (cut_count_ < kCutsMax && range.first < range.second) is_cut |= cut(machine, middle_ns + 1);
    }
    if (!circle_is_known_) warn_of(circle);
    circle_is_known_ = true;
    if (is_cut) return true;
    clocks_.warnings.push_back(
        "the messages of three or more machines contradict each other more often than can be "
        "followed: each pair of clocks is bounded by its own messages only");
    clocks_.graph.forget_paths();
    return false;
  }

  void warn_of(const std::vector<ClockMessage>& circle) {
    std::set<std::string> names;
    std::string messages;
    for (const ClockMessage& message : circle) {
      const std::string &from = name(clocks_.graph.clock(message.from).machine),
                        &to = name(clocks_.graph.clock(message.to).machine);
      names.insert({from, to});
      if (&message - circle.data() < static_cast<std::ptrdiff_t>(kMessagesNamed))
        messages += fmt::format("{}'{}' at {:f} s to '{}' at {:f} s", messages.empty() ? "" : ", ", from,
                                static_cast<double>(message.sent_ns) * 1e-9, to,
                                static_cast<double>(message.received_ns) * 1e-9);
    }
    if (circle.size() > kMessagesNamed) messages += fmt::format(", and {} more", circle.size() - kMessagesNamed);
    std::string all;
    for (const std::string& one : names) all += (all.empty() ? "'" : ", '") + one + "'";
    clocks_.warnings.push_back(
        fmt::format("no steady clocks of {} explain these messages, each with its times by both clocks: {}. One of "
                    "them was stepped, or changed its rate; the time before and after is compared separately",
                    all, messages));
  }

  void note_steps() {
    for (const Disagreement& found : disagreements_) {
      const auto line = [&](std::int64_t a_ns, std::int64_t b_ns) {
        return clocks_.graph.bounds(clocks_.stretches.clock_at(found.a, a_ns),
                                    clocks_.stretches.clock_at(found.b, b_ns));
      };
      const ClockBounds before = line(found.a_ns - 1, found.b_ns - 1), after = line(found.a_ns, found.b_ns);
      const double jump = static_cast<double>(clock_reading_ns(after.base_ns(), -before.base_ns(), 0)) +
                          after.middle_at(found.a_ns) - before.middle_at(found.a_ns);
      clocks_.steps.push_back({found.a, found.b, {found.a_ns}, jump});
      clocks_.warnings.push_back(
          fmt::format("no two steady clocks explain the messages between '{}' and '{}': one of them was stepped, or "
                      "changed its rate, before {:f} s by '{}'",
                      name(found.a), name(found.b), static_cast<double>(found.a_ns) * 1e-9, name(found.a)));
    }
    if (cut_count_ == kCutsMax)
      clocks_.warnings.push_back("the clocks disagree more than a hundred times: the rest is not analysed");
  }

  void note_relations() {
    std::vector<MachineId> seen;
    for (std::uint16_t m = 0; m < evidence_.machines.size(); ++m)
      if (evidence_.machines[m].seen) seen.push_back({m});
    for (const MachineId a : seen)
      for (const MachineId b : seen)
        if (a < b) clocks_.relations.push_back(relation_between(a, b));
  }

  // Of several stretches, in the longest for which the offset is bounded.
  ClockRelation relation_between(MachineId a, MachineId b) const {
    const ClockGraph& graph = clocks_.graph;
    const ClockEvidence::Machine& machine = evidence_.machines[a.value];
    ClockRelation relation{a, b, 0, 0, {machine.first_ns + (machine.last_ns - machine.first_ns) / 2}, {}, {}, {}};
    if (const auto* there = evidence_.traffic.find(a, b)) relation.messages_from_a = there->messages;
    if (const auto* back = evidence_.traffic.find(b, a)) relation.messages_from_b = back->messages;
    std::optional<std::pair<std::uint32_t, std::uint32_t>> longest;
    ClockGraph::Readings readings;
    const auto extent = [&](std::uint32_t clock_a, std::uint32_t clock_b, const ClockGraph::Readings& of) {
      return std::pair{graph.are_joined_both_ways(clock_a, clock_b), of.to_ns - of.from_ns};
    };
    for (const auto& of_a : clocks_.stretches.of_machine[a.value]) {
      for (const auto& of_b : clocks_.stretches.of_machine[b.value]) {
        if (!graph.are_joined(of_a.clock, of_b.clock)) continue;
        const auto found = graph.bounded(of_a.clock, of_b.clock);
        if (longest && extent(of_a.clock, of_b.clock, found) <= extent(longest->first, longest->second, readings))
          continue;
        longest = {of_a.clock, of_b.clock};
        readings = found;
      }
    }
    if (!longest) return relation;
    const auto [clock_a, clock_b] = *longest;
    if (const auto own = own_readings(clock_a, clock_b))
      relation.at.ns = own->from_ns + (own->to_ns - own->from_ns) / 2;
    const bool is_bounded = readings.from_ns <= readings.to_ns;
    if (is_bounded && (relation.at.ns < readings.from_ns || relation.at.ns > readings.to_ns))
      relation.at.ns = readings.from_ns + (readings.to_ns - readings.from_ns) / 2;
    const ClockBounds bounds = graph.bounds(clock_a, clock_b);
    relation.offset = {bounds.base_ns(), bounds.offset_at(relation.at.ns)};
    relation.drift = bounds.drift();
    if (std::isinf(relation.offset.more.low) && std::isinf(relation.offset.more.high)) return relation;
    for (const ClockMessage& message : graph.proof(clock_a, clock_b, relation.at.ns)) {
      for (const std::uint32_t clock : {message.from, message.to}) {
        const MachineId through = graph.clock(clock).machine;
        if (through != a && through != b &&
            std::find(relation.via.begin(), relation.via.end(), through) == relation.via.end())
          relation.via.push_back(through);
      }
    }
    return relation;
  }

  // The period of their own messages, by a.
  std::optional<ClockGraph::Readings> own_readings(std::uint32_t a, std::uint32_t b) const {
    const auto &there = clocks_.graph.own_way(a, b), &back = clocks_.graph.own_way(b, a);
    if (there.empty() && back.empty()) return std::nullopt;
    std::vector<ClockBounds::Number> ends;
    if (!there.empty()) ends = {there.front().x, there.back().x};
    if (!back.empty()) ends.insert(ends.end(), {back.front().x + back.front().y, back.back().x + back.back().y});
    const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
    const std::int64_t base_ns = clocks_.graph.clock(a).base_ns;
    return ClockGraph::Readings{clock_reading_ns(base_ns, 0, *first), clock_reading_ns(base_ns, 0, *last)};
  }

  const ClockEvidence& evidence_;
  const TraceInfo& info_;
  std::vector<const ClockTraffic*> traffic_;     // by machines
  std::vector<std::vector<std::int64_t>> cuts_;  // by machine, in order
  std::size_t cut_count_ = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> useless_;
  std::vector<Disagreement> disagreements_;  // where machines were cut for them
  bool circle_is_known_ = false;
  Clocks clocks_;
};

}  // namespace

Clocks find_clocks(const ClockEvidence& evidence, const TraceInfo& info) { return ClockFinder(evidence, info).find(); }

}  // namespace dpm
