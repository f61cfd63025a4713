#include "analysis/prediction/alternatives.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>
#include <utility>

namespace dpm {
namespace {

// Costs that differ by less are the same: those of messages may be in them.
constexpr double kSameCost = .02;
constexpr std::size_t kEnoughToDraw = 4;  // segments of one kind

bool is_receive(const HistoryEvent& event) { return event.kind() == HistoryKind::receive; }

// Which of these requests is performed first, second, ... in a prediction; by request.
std::vector<std::size_t> places_of(const std::vector<Request>& requests,
                                   const std::unordered_map<std::uint32_t, std::size_t>& performed_at) {
  std::vector<std::pair<std::size_t, std::size_t>> in_order;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto at = performed_at.find(requests[i].receive);
    in_order.emplace_back(at == performed_at.end() ? performed_at.size() : at->second, i);
  }
  std::sort(in_order.begin(), in_order.end());
  std::vector<std::size_t> places(requests.size());
  for (std::size_t place = 0; place < in_order.size(); ++place) places[in_order[place].second] = place;
  return places;
}

}  // namespace

Alternatives::Alternatives(const History& history, const Roles& roles, const DestinationChoices& choices,
                           const HiddenState& hidden, const Schedule& schedule, bool rounded)
    : history_(history),
      roles_(roles),
      choices_(choices),
      rounded_(rounded),
      cause_(schedule.cause),
      performed_(history.process_count()) {
  for (const HiddenState::Entry& entry : hidden.entries)
    if (entry.kind == HiddenState::Kind::full_batches) answers_together_.insert(entry.process);
  for (std::uint32_t e = 0; e < history.events.size(); ++e) {
    if (is_receive(history.events[e]) && schedule.finished_ns[e] >= 0)
      performed_[schedule.performed_by[e]].push_back(e);
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> workers_of;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    auto& order = performed_[p];
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return schedule.finished_ns[a] < schedule.finished_ns[b];
    });
    if (roles.is_worker(p)) workers_of[roles.dispatcher_of[p]].push_back(p);
  }
  for (std::uint32_t p = 0; p < history.process_count(); ++p)
    if (!roles.is_worker(p)) add_segments({p});
  for (const auto& entry : workers_of) add_segments(entry.second);
  for (std::uint32_t p = 0; p < history.process_count(); ++p)
    if (!roles.is_worker(p) && !roles.is_dispatcher(p) && !roles.counts(p)) add_exchangeable(p);
  add_choices();
  for (std::uint32_t p = 0; p < history.process_count(); ++p)
    parts_ = parts_ || first_parting(p) < history.first_event[p + 1];
}

Alternatives::Segment Alternatives::segment_of(std::uint32_t process, std::uint32_t receive) const {
  const std::uint32_t end = history_.first_event[process + 1];
  std::uint32_t last = receive + 1;
  while (last < end && !is_receive(history_.events[last])) ++last;
  return {receive + 1, std::min(last, end - 1)};
}

// The first of its RECEIVEs that it did not perform where it did in the trace; the end of its events if there is none.
std::uint32_t Alternatives::first_parting(std::uint32_t process) const {
  const auto& performed = performed_[process];
  std::size_t turn = 0;
  for (std::uint32_t e = history_.first_event[process]; e < history_.first_event[process + 1]; ++e) {
    if (!is_receive(history_.events[e])) continue;
    if (turn >= performed.size() || performed[turn] != e || !takes_as_traced(process, e)) return e;
    ++turn;
  }
  return history_.first_event[process + 1];
}

// Whether the message is that of the trace. A process that answers the messages it counts may have done work for each of
// them, which would go with the message.
bool Alternatives::takes_as_traced(std::uint32_t process, std::uint32_t receive) const {
  return !answers_together_.contains(process) || cause_[receive] == history_.events[receive].match;
}

// Segments of one kind can replace each other: as many events, begun over the same channels. The size and the sender of
// the message usually decide, too; where there are too few of one size to draw from, those of all sizes are one kind.
Alternatives::Kind Alternatives::kind_of(std::uint32_t process, const Segment& segment) const {
  const HistoryEvent& begin = history_.events[segment.first - 1];
  const std::string& sender = begin.peer == kNoPeer ? std::string() : history_.info.processes[begin.peer].program;
  return {process, begin.channel, segment.last - segment.first, begin.length_bytes, sender};
}

void Alternatives::add_segments(const std::vector<std::uint32_t>& processes) {
  std::map<Kind, std::vector<Segment>> kinds;
  for (const std::uint32_t p : processes) {
    for (std::uint32_t e = first_parting(p); e < history_.first_event[p + 1]; ++e) {
      if (!is_receive(history_.events[e])) continue;
      const Segment segment = segment_of(p, e);
      kinds[kind_of(p, segment)].push_back(segment);
    }
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Segment>> of_all_sizes;
  std::vector<std::vector<Segment>> found;
  for (auto& [kind, segments] : kinds) {
    if (segments.size() >= kEnoughToDraw) {
      found.push_back(std::move(segments));
    } else {
      auto& all = of_all_sizes[{kind.channel_set, kind.events}];
      all.insert(all.end(), segments.begin(), segments.end());
    }
  }
  for (auto& entry : of_all_sizes) found.push_back(std::move(entry.second));
  for (auto& segments : found)
    if (!are_alike(segments)) replaceable_.push_back(std::move(segments));
}

bool Alternatives::are_alike(const std::vector<Segment>& segments) const {
  const auto same = [&](const Segment& other) {
    for (std::uint32_t i = 0; other.first + i <= other.last; ++i) {
      const HistoryEvent &a = history_.events[segments.front().first + i], &b = history_.events[other.first + i];
      const double difference = std::fabs(static_cast<double>(a.cpu_ns) - static_cast<double>(b.cpu_ns));
      if (a.length_bytes != b.length_bytes && a.kind() == HistoryKind::send) return false;
      if (difference > kSameCost * static_cast<double>(std::max(a.cpu_ns, b.cpu_ns))) return false;
    }
    return true;
  };
  return std::all_of(segments.begin(), segments.end(), same);
}

// Requests of one kind to which a process does not always react alike: it may have reacted to each as to another.
void Alternatives::add_exchangeable(std::uint32_t process) {
  std::vector<Request> requests = find_requests(history_, process);
  const std::uint32_t parts = first_parting(process);
  std::erase_if(requests, [parts](const Request& request) { return request.receive < parts; });
  std::unordered_map<std::uint32_t, std::size_t> performed_at;  // by RECEIVE
  for (const std::uint32_t receive : performed_[process]) performed_at.emplace(receive, performed_at.size());
  for (auto& [kind, alike] : by_kind(history_, requests)) {
    const auto first = reaction(history_, alike.front(), roles_.queue_of(process));
    const bool same = std::all_of(alike.begin(), alike.end(), [&](const Request& request) {
      return reaction(history_, request, roles_.queue_of(process)) == first;
    });
    if (!same) exchangeable_.push_back({alike, places_of(alike, performed_at)});
  }
}

void Alternatives::add_choices() {
  for (std::size_t i = 0; i < choices_.choices.size(); ++i) {
    const DestinationChoice& choice = choices_.choices[i];
    if (choice.rule != DestinationChoice::Rule::unknown) continue;
    const std::uint32_t parts = first_parting(choice.process);
    const auto first = std::lower_bound(choice.sends.begin(), choice.sends.end(), parts);
    if (choice.sends.end() - first > 1)
      shuffled_from_.emplace(i, static_cast<std::size_t>(first - choice.sends.begin()));
  }
}

Alternatives::Alternative Alternatives::draw(Random& random, std::size_t places_off) const {
  Alternative other{history_, roles_};
  draw_costs(random, other.history);
  if (places_off > 0) draw_requests(random, places_off, other.history);
  if (places_off > 0 && roles_.timers != nullptr && random.below(2) == 0) other.roles.timers = nullptr;
  if (rounded_) round_costs(random, other.history);
  draw_receivers([&random](std::size_t below) { return random.below(below); }, other.roles);
  return other;
}

void Alternatives::draw_costs(Random& random, History& other) const {
  for (const auto& segments : replaceable_) {
    for (const Segment& to : segments) replace(other, to, segments[random.below(segments.size())]);
  }
}

void Alternatives::replace(History& other, const Segment& to, const Segment& from) const {
  for (std::uint32_t i = 0; to.first + i <= to.last; ++i) {
    HistoryEvent& event = other.events[to.first + i];
    const HistoryEvent& drawn = history_.events[from.first + i];
    event.cpu_ns = drawn.cpu_ns;
    if (event.kind() != HistoryKind::send || drawn.kind() != HistoryKind::send) continue;
    event.length_bytes = drawn.length_bytes;
    if (event.match != kNoEvent) other.events[event.match].length_bytes = drawn.length_bytes;
  }
}

// The reactions stay with the process, in its order; the requests come in that of the prediction, or somewhat otherwise.
void Alternatives::draw_requests(Random& random, std::size_t places_off, History& other) const {
  for (const Exchangeable& alike : exchangeable_) {
    std::vector<std::pair<std::uint64_t, std::size_t>> identity;  // by when it comes, in thousandths of a place
    for (std::size_t i = 0; i < alike.requests.size(); ++i)
      identity.emplace_back(alike.place[i] * 1000 + random.below(places_off * 1000), i);
    std::sort(identity.begin(), identity.end());
    for (std::size_t i = 0; i < identity.size(); ++i)
      exchange(other, alike.requests[i], alike.requests[identity[i].second]);
  }
}

// What the process did at `position` it does for the request `identity`, and the answers go to that one's client.
void Alternatives::exchange(History& other, const Request& position, const Request& identity) const {
  const auto take = [&](std::uint32_t at, std::uint32_t from) {
    HistoryEvent& event = other.events[at];
    const HistoryEvent& of = history_.events[from];
    event.match = of.match;
    event.peer = of.peer;
    if (event.kind() == HistoryKind::send) event.channel = of.channel;
    if (of.match != kNoEvent) {
      other.events[of.match].match = at;
      if (event.kind() == HistoryKind::send) other.events[of.match].length_bytes = event.length_bytes;
    }
  };
  take(position.receive, identity.receive);
  for (std::size_t i = 0; i < position.answers.size(); ++i) take(position.answers[i], identity.answers[i]);
}

void Alternatives::round_costs(Random& random, History& other) const {
  for (HistoryEvent& event : other.events)
    if (event.cpu_ns > 1) event.cpu_ns += random.below(3) - 1;
}

Roles Alternatives::with_receivers_of_trace() const {
  Roles roles = roles_;
  draw_receivers([](std::size_t below) { return below - 1; }, roles);
  return roles;
}

void Alternatives::draw_receivers(const std::function<std::size_t(std::size_t below)>& draw, Roles& roles) const {
  DestinationChoices drawn;
  bool any = false;
  for (std::size_t i = 0; i < choices_.choices.size(); ++i) {
    const auto shuffled = shuffled_from_.find(i);
    if (choices_.choices[i].rule == DestinationChoice::Rule::unknown && shuffled == shuffled_from_.end()) continue;
    DestinationChoice& choice = drawn.choices.emplace_back(choices_.choices[i]);
    if (choice.rule != DestinationChoice::Rule::unknown) continue;
    any = true;
    auto& members = choice.members;
    for (std::size_t left = members.size(); left - shuffled->second > 1; --left)
      std::swap(members[left - 1], members[shuffled->second + draw(left - shuffled->second)]);
  }
  if (!any) return;
  drawn.piece_of = choices_.piece_of;
  drawn.work = choices_.work;
  roles.destinations = std::make_shared<const DestinationChoices>(std::move(drawn));
}

}  // namespace dpm
