#include "answers/live/request_diagram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <vector>

namespace dpm::cli {
namespace {

using view::Json;

class Diagram {
 public:
  explicit Diagram(const Findings& found)
      : history_(*found.parallel->history), schedule_(found.parallel->schedule), roles_(found.causality->roles) {}

  // The RECEIVEs that begin requests, by time.
  std::vector<std::uint32_t> requests() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t e = 0; e < history_.events.size(); ++e) {
      const HistoryEvent& event = history_.events[e];
      if (event.kind() == HistoryKind::receive && role(event.peer) == CausalityRole::requestor && at_ns(e) >= 0)
        found.push_back(e);
    }
    std::stable_sort(found.begin(), found.end(), [&](auto a, auto b) { return at_ns(a) < at_ns(b); });
    return found;
  }

  Json of(std::uint32_t request) {
    add(history_.events[request].peer, history_.owner_of(request).value, at_ns(request), at_ns(request),
        history_.events[request].length_bytes);
    std::deque<std::uint32_t> receives = {request};
    while (!receives.empty()) {
      follow(receives.front(), receives);
      receives.pop_front();
    }
    Json rows = Json::array();
    for (const std::uint32_t row : rows_) rows.push_back(row);
    return {{"from_s", from_ns_ * 1e-9},
            {"to_s", to_ns_ * 1e-9},
            {"rows", std::move(rows)},
            {"steps", std::move(steps_)},
            {"left_out", left_out_}};
  }

 private:
  CausalityRole role(std::uint32_t process) const {
    return process < roles_.size() ? roles_[process] : CausalityRole::absent;
  }
  double at_ns(std::uint32_t event) const { return schedule_.finished_ns[event]; }

  // The SENDs that follow a RECEIVE, up to the process's next one (analysis/causality).
  void follow(std::uint32_t receive, std::deque<std::uint32_t>& receives) {
    const ProcessId process = history_.owner_of(receive);
    for (auto e = receive + 1; e < history_.first_event[process.value + 1]; ++e) {
      const HistoryEvent& event = history_.events[e];
      const CausalityRole peer = role(event.peer);
      if (event.kind() == HistoryKind::receive && peer != CausalityRole::system) return;
      if (event.kind() != HistoryKind::send || peer == CausalityRole::system || at_ns(e) < 0) continue;
      const bool is_taken = event.match != kNoEvent && at_ns(event.match) >= 0;
      add(process.value, event.peer, at_ns(e), is_taken ? at_ns(event.match) : at_ns(e), event.length_bytes);
      if (peer == CausalityRole::server && is_taken && steps_.size() < kRequestStepsMost)
        receives.push_back(event.match);
    }
  }

  void add(std::uint32_t from, std::uint32_t to, double sent_ns, double received_ns, std::uint32_t bytes) {
    if (steps_.size() >= kRequestStepsMost) {
      ++left_out_;
      return;
    }
    from_ns_ = steps_.empty() ? sent_ns : std::min(from_ns_, sent_ns);
    to_ns_ = std::max(to_ns_, received_ns);
    for (const std::uint32_t row : {from, to})
      if (shown_.insert(row).second) rows_.push_back(row);
    steps_.push_back(
        {{"from", from}, {"to", to}, {"sent_s", sent_ns * 1e-9}, {"received_s", received_ns * 1e-9}, {"bytes", bytes}});
  }

  const History& history_;
  const Schedule& schedule_;
  const std::vector<CausalityRole>& roles_;
  Json steps_ = Json::array();
  std::vector<std::uint32_t> rows_;
  std::set<std::uint32_t> shown_;
  double from_ns_ = 0, to_ns_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace

Result<Json> request_diagram(const Findings& found, std::uint64_t number) {
  if (!found.causality || !found.parallel) return Error{"the trace shows no requests"};
  Diagram diagram(found);
  const auto requests = diagram.requests();
  if (number >= requests.size())
    return Error{fmt::format("there is no request {}: the trace has {}", number, requests.size())};
  return diagram.of(requests[number]);
}

}  // namespace dpm::cli
