#include "analysis/prediction/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/prediction/causality_check.hpp"
#include "analysis/prediction/what_if.hpp"
#include "model/counted.hpp"

namespace dpm {
namespace {

constexpr std::array kOrders = {Order::recorded, Order::arrival, Order::role};

// All events of a run in this order must have happened, or the elapsed time is meaningless.
Result<ReplayResult> complete(ReplayResult result, Order order) {
  if (result.not_performed == 0) return result;
  const std::string what = std::to_string(result.not_performed) + " events wait for messages that are never sent";
  if (order == Order::recorded) return Error{"the trace contradicts itself: " + what};
  return Error{fmt::format("the trace cannot be replayed in {} order: {}; try --order recorded", name_of(order), what)};
}

Target with_longer_delays(Target target, double factor) {
  const auto lengthen = [factor](DelayClass& delays) { delays.delivery_s = scaled(delays.delivery_s, factor); };
  lengthen(target.delays.local);
  lengthen(target.delays.remote);
  for (auto& pair : target.delays.pairs) lengthen(pair.delays);
  return target;
}

Target with_slower_machines(Target target, double factor) {
  for (auto& machine : target.machines) machine.speed /= factor;
  return target;
}

// Whether one of these events is a RECEIVE from outside the computation, with a wait that no external arc represents.
bool waits_unseen(const History& history, std::uint32_t first, std::uint32_t last) {
  const auto& arcs = history.external_arcs;
  for (std::uint32_t e = first; e < last; ++e) {
    const HistoryEvent& event = history.events[e];
    const bool waits = event.kind() == HistoryKind::receive || event.kind() == HistoryKind::wait;
    if (!waits || event.arc() != ArcKind::outside) continue;
    const auto arc = std::lower_bound(arcs.begin(), arcs.end(), e,
                                      [](const ExternalArc& known, std::uint32_t to) { return known.to < to; });
    if (arc == arcs.end() || arc->to != e) return true;
  }
  return false;
}

std::vector<MessageSpan> message_spans(const History& history, const Schedule& schedule) {
  std::vector<MessageSpan> spans(history.process_count());
  for (std::uint32_t e = 0; e < history.events.size(); ++e) {
    const HistoryKind kind = history.events[e].kind();
    const double at_s = schedule.finished_ns[e] * 1e-9;
    if ((kind != HistoryKind::send && kind != HistoryKind::receive) || at_s < 0) continue;
    MessageSpan& span = spans[schedule.performed_by[e]];
    span.first_s = span.process.is_none() ? at_s : std::min(span.first_s, at_s);
    span.last_s = std::max(span.last_s, at_s);
    span.process = ProcessId{schedule.performed_by[e]};
  }
  std::erase_if(spans, [](const MessageSpan& span) { return span.process.is_none(); });
  return spans;
}

// When each process does its last event, or its last message.
enum class Last : std::uint8_t { event, message };
std::vector<double> ends_ns(const History& history, const Schedule& schedule, Last last) {
  std::vector<double> ends(history.process_count(), 0);
  for (std::uint32_t e = 0; e < history.events.size(); ++e) {
    const std::uint32_t p = schedule.performed_by[e];
    if (p >= ends.size() || (last == Last::message && history.events[e].kind() == HistoryKind::end)) continue;
    ends[p] = std::max(ends[p], schedule.finished_ns[e]);
  }
  return ends;
}

// Whether a process sends to others of its program and hears from them.
bool exchanges_with_equals(const History& history, std::uint32_t p) {
  bool sends = false, receives = false;
  for (const HistoryEvent& event : history.of(ProcessId{p})) {
    if (event.peer == kNoPeer || event.peer == p) continue;
    const std::string& program = history.info.processes[p].program;
    if (program.empty() || history.info.processes[event.peer].program != program) continue;
    sends |= event.kind() == HistoryKind::send;
    receives |= event.kind() == HistoryKind::receive;
  }
  return sends && receives;
}

// By how much the pieces of work of a dispatcher's workers differ from their mean, relatively, if it is not by chance: whether a task
// takes as long as its worker's others, or as in the trace, is open.
double difference_of_workers(const History& history, const RoleGroup& group) {
  struct Pieces {
    double mean = 0, error = 0;
  };
  constexpr double kErrors = 4, kAlike = .05;
  std::optional<Pieces> least, most;
  for (const ProcessId worker : group.workers) {
    double count = 0, sum = 0, squares = 0;
    for (const HistoryEvent& event : history.of(worker)) {
      if (event.cpu_ns == 0) continue;
      const auto ns = static_cast<double>(event.cpu_ns);
      count += 1;
      sum += ns;
      squares += ns * ns;
    }
    if (count == 0) continue;
    const Pieces pieces{sum / count, std::sqrt(std::max(0.0, squares / count - sum * sum / count / count) / count)};
    if (!least || pieces.mean < least->mean) least = pieces;
    if (!most || pieces.mean > most->mean) most = pieces;
  }
  if (!least || most->mean - least->mean <= kErrors * std::hypot(least->error, most->error)) return 0;
  const double difference = (most->mean - least->mean) / (most->mean + least->mean);
  return difference < kAlike ? 0 : difference;
}

class Predictor {
 public:
  Predictor(const History& history, const Target& target, const PredictOptions& options)
      : history_(history), target_(target), options_(options), causality_(history) {}

  Result<Prediction> run() {
    prediction_.placement = target_.placement;
    prediction_.method = options_.method;
    prediction_.automatic = !options_.order && options_.method == SharingMethod::replay;
    prediction_.order = options_.order.value_or(Order::recorded);
    choose();
    if (auto possible = check(); !possible) return possible.error();
    if (auto predicted = predict_target(); !predicted) return predicted.error();
    if (auto identity = check_identity(); !identity) return identity.error();
    if (options_.sensitivity) find_sensitivity();
    compare_with_the_clocks();
    find_the_interval();
    if (prediction_.order != Order::role) prediction_.roles.clear();
    name_unknown();
    add_warnings();
    return std::move(prediction_);
  }

 private:
  void choose() {
    InferredBehaviour choice = infer_behaviour(history_);
    prediction_.roles = choice.groups;
    roles_ = to_roles(choice.groups, history_.process_count());
    if (target_.replicas.empty()) choices_ = std::move(choice.choices);
    if (!prediction_.automatic) return;
    hidden_ = choice.hidden;
    if (!target_.replicas.empty()) {
      prediction_.order = Order::arrival;
      prediction_.why = {{"arrival", {}, "may write to copies, which are not in the trace"}};
      return;
    }
    prediction_.order = choice.same_as_arrival() ? Order::arrival : Order::role;
    roles_ = std::move(choice.roles);
    gathers_by_sender_ = choice.gathers_by_sender;
    counts_or_in_turn_ = std::move(choice.counts_or_in_turn);
    open_ = std::move(choice.open);
    prediction_.why = std::move(choice.why);
    for (BehaviourRule& entry : prediction_.why) entry.cpu_share = cpu_share_of(entry.processes);
    choose_simpler_order();
  }

  double cpu_share_of(const std::vector<ProcessId>& processes) const {
    double cpu_ns = 0;
    for (const ProcessId process : processes)
      for (const HistoryEvent& event : history_.of(process)) cpu_ns += static_cast<double>(event.cpu_ns);
    return cpu_ns / std::max<double>(1, static_cast<double>(history_.cpu_ns()));
  }

  // If the trace cannot be replayed with this choice: takes the next simpler one.
  void choose_simpler_order() {
    const Target traced = traced_target(history_);
    Replay replay(history_, traced, roles_);
    for (const Order simpler : {Order::arrival, Order::recorded}) {
      if (prediction_.order == simpler) continue;
      if (replay.run(prediction_.order, traced.machine_of).not_performed == 0) return;
      prediction_.order = simpler;
      prediction_.why = {{std::string(name_of(simpler)), {}, "the trace cannot be replayed otherwise"}};
    }
  }

  Result<void> check() const {
    if (history_.cpu_ns() == 0) {
      return Error{
          "the trace has no CPU times, so nothing can be predicted: let the rules of the filter keep the field "
          "procTime, or record with 'dpm meter' instead of importing"};
    }
    if (options_.method == SharingMethod::thesis1984 && prediction_.order != Order::recorded) {
      return Error{"method thesis1984 supports only the recorded order: use --order recorded, or --method replay"};
    }
    if (!target_.replicas.empty() && prediction_.order != Order::arrival) {
      return Error{
          "with copies of a server only the order arrival is possible: the trace does not record in which order "
          "they would have been asked, and its roles are those without copies"};
    }
    if (!prediction_.automatic && prediction_.order == Order::role && prediction_.roles.empty()) {
      return Error{
          "the trace has no dispatcher with workers (a process that hands a task to each process of one program when "
          "it becomes free): use --order arrival"};
    }
    return {};
  }

  // A result that no run can reach is not one: the processes that answer before they are asked take their messages in the order of
  // the trace instead. Other such processes are named, and the interval has the result of that order.
  ReplayResult run_causally(Replay& replay, Order order) {
    ReplayResult result = replay.run(order, target_.machine_of, true);
    if (order == Order::recorded || !target_.replicas.empty()) return result;
    for (int i = 0; i < kRulesDropped; ++i) {
      if (result.not_performed > 0 && leave_out_semaphores()) {
        result = Replay(history_, target_, roles_).run(order, target_.machine_of, true);
        continue;
      }
      early_ = causality_.early_answers(*result.schedule, roles_);
      if (early_.empty() || roles_.timers != nullptr) return result;
      if (result.elapsed_ns >= causality_.shortest_ns(target_, *result.schedule)) return result;
      for (const std::uint32_t p : early_) leave_in_order(p);
      if (i + 2 == kRulesDropped)
        for (std::uint32_t p = 0; p < history_.process_count(); ++p) leave_in_order(p);
      result = Replay(history_, target_, roles_).run(order, target_.machine_of, true);
    }
    return result;
  }

  // What one process does without a message that shows it changes what comes to others.
  bool has_hidden() const {
    return !hidden_.entries.empty() || hidden_.idle_timers || roles_.timers != nullptr ||
           roles_.destinations != nullptr;
  }

  // Where processes wait for each other in a circle, at least one of them is not what it seems to be.
  bool leave_out_semaphores() {
    if (roles_.queues == nullptr) return false;
    RequestQueues others;
    for (const RequestQueue& queue : roles_.queues->queues) {
      if (queue.semaphore) {
        leave_in_order(queue.process);
      } else {
        others.queues.push_back(queue);
      }
    }
    if (others.queues.size() == roles_.queues->queues.size()) return false;
    roles_.queues = others.empty() ? nullptr : std::make_shared<const RequestQueues>(std::move(others));
    return true;
  }

  void leave_in_order(std::uint32_t p) {
    roles_.keeps_order.resize(history_.process_count());
    if (roles_.keeps_order[p]) return;
    roles_.keeps_order[p] = true;
    open_.push_back(ProcessId{p});
  }

  Result<void> predict_target() {
    Replay replay(history_, target_, roles_);
    Spread& spread = prediction_.spread;
    bool first = true;
    const auto widen = [&](double P, double elapsed_s) {
      spread.low_P = first ? P : std::min(spread.low_P, P);
      spread.high_P = first ? P : std::max(spread.high_P, P);
      spread.low_elapsed_s = first ? elapsed_s : std::min(spread.low_elapsed_s, elapsed_s);
      spread.high_elapsed_s = first ? elapsed_s : std::max(spread.high_elapsed_s, elapsed_s);
      first = false;
    };
    for (const Order order : kOrders) {
      if (order == Order::role && prediction_.order != Order::role && prediction_.roles.empty()) continue;
      if (order != Order::arrival && !target_.replicas.empty()) continue;
      const bool asked = order == prediction_.order && options_.method == SharingMethod::replay;
      auto run = complete(asked ? run_causally(replay, order) : replay.run(order, target_.machine_of), order);
      if (!run) {
        if (asked || order == Order::recorded) return run.error();
        prediction_.warnings.push_back(run.error().what);
        continue;
      }
      const double T_s = static_cast<double>(run->cpu_ns) * 1e-9, elapsed_s = run->elapsed_ns * 1e-9;
      widen(T_s / elapsed_s, elapsed_s);
      if (!asked) continue;
      set(T_s, elapsed_s);
      forced_ = run->forced_receives;
      ends_ns_ = ends_ns(history_, *run->schedule, Last::event);
      find_earlier_answers(*run->schedule);
      count_given_up(*run->schedule);
      prediction_.message_spans = message_spans(history_, *run->schedule);
      if (auto possible = check_bound(*run->schedule); !possible) return possible.error();
    }
    if (options_.method == SharingMethod::thesis1984) {
      const auto measured = measure_parallelism(history_, target_, SharingMethod::thesis1984);
      if (!measured) return measured.error();
      set(measured->delay_cpu.T_s, measured->delay_cpu.t_max_s);
      widen(prediction_.P, prediction_.elapsed_s);
    }
    return {};
  }

  Result<void> check_bound(const Schedule& schedule) {
    constexpr double kSame = 1e-6;
    if (!target_.replicas.empty() || roles_.timers != nullptr) return {};  // a call that is given up takes no longer
    prediction_.shortest_s = causality_.shortest_ns(target_, schedule) * 1e-9;
    if (prediction_.elapsed_s >= prediction_.shortest_s * (1 - kSame)) return {};
    return Error{
        fmt::format("the prediction of {:.4g} s is impossible: a process needs {:.4g} s for its own work and its "
                    "messages; this is an error of dpm, "
                    "please report it; --order recorded predicts without rules",
                    prediction_.elapsed_s, prediction_.shortest_s)};
  }

  void set(double T_s, double elapsed_s) {
    prediction_.T_s = T_s;
    prediction_.elapsed_s = elapsed_s;
    prediction_.P = elapsed_s > 0 ? T_s / elapsed_s : 0;
  }

  Result<double> elapsed_s(const Target& target) {
    if (options_.method == SharingMethod::thesis1984) {
      const auto measured = measure_parallelism(history_, target, SharingMethod::thesis1984);
      if (!measured) return measured.error();
      return measured->delay_cpu.t_max_s;
    }
    auto run = complete(Replay(history_, target, roles_).run(prediction_.order, target.machine_of), prediction_.order);
    if (!run) return run.error();
    return run->elapsed_ns * 1e-9;
  }

  Result<void> check_identity() {
    const Target traced = traced_target(history_);
    const auto here = elapsed_s(traced);
    if (!here) return here.error();
    traced_elapsed_s_ = *here;
    auto recorded = complete(Replay(history_, traced, roles_).run(Order::recorded, traced.machine_of), Order::recorded);
    if (!recorded) return recorded.error();
    prediction_.identity_error = recorded->elapsed_ns > 0 ? *here / (recorded->elapsed_ns * 1e-9) - 1 : 0;
    return {};
  }

  void compare_with_the_clocks() {
    prediction_.clock_error = clock_error(options_.as_it_ran == nullptr ? history_ : *options_.as_it_ran, roles_);
    prediction_.clock_error_has_meter = options_.as_it_ran == nullptr && history_.info.properties.metering_takes_time;
    const Target traced = traced_target(history_);
    const ReplayResult replayed = Replay(history_, traced, roles_).run(Order::recorded, traced.machine_of, true);
    if (!find_last(ends_ns(history_, *replayed.schedule, Last::message), replayed.elapsed_ns))
      find_last(ends_ns(history_, *replayed.schedule, Last::event), replayed.elapsed_ns);
    const FalseOverlaps overlaps = find_false_overlaps(history_, *replayed.schedule);
    if (auto warning = warning_of(overlaps, history_, replayed.elapsed_ns * 1e-9))
      prediction_.warnings.push_back(std::move(*warning));
  }

  // A simulated run ends with its last process that is not a service, whatever its services still do: with those of the programs
  // that were last in the trace. Returns whether any was.
  bool find_last(const std::vector<double>& traced_ns, double elapsed_ns) {
    if (!history_.info.properties.scripted || ends_ns_.empty()) return true;
    std::set<std::string> last;
    for (std::uint32_t p = 0; p < traced_ns.size(); ++p)
      if (traced_ns[p] >= elapsed_ns) last.insert(history_.info.processes[p].program);
    double end_ns = 0;
    for (std::uint32_t p = 0; p < ends_ns_.size(); ++p)
      if (last.contains(history_.info.processes[p].program)) end_ns = std::max(end_ns, ends_ns_[p]);
    if (last.empty()) return false;
    earlier_ = std::min(1.0, end_ns * 1e-9 / prediction_.elapsed_s);
    return true;
  }

  // By how much sooner a process goes on if an answer that the trace ends before were there first.
  void find_earlier_answers(const Schedule& schedule) {
    if (prediction_.order != Order::role || roles_.gathers == nullptr) return;
    double sooner_ns = 0;
    for (const Gathers::CutOff& cut_off : roles_.gathers->cut_off()) {
      std::vector<double> answered_ns(cut_off.missing, schedule.finished_ns[cut_off.asked]);
      for (std::size_t k = 0; k < roles_.gathers->answers(cut_off.gathering); ++k)
        answered_ns.push_back(schedule.finished_ns[roles_.gathers->receive_at(cut_off.gathering, k)]);
      std::sort(answered_ns.begin(), answered_ns.end());
      const std::size_t last = cut_off.needed - 1;
      sooner_ns = std::max(sooner_ns, answered_ns[last + cut_off.missing] - answered_ns[last]);
    }
    answered_earlier_ = 1 - sooner_ns * 1e-9 / prediction_.elapsed_s;
  }

  // Calls that are answered in the trace, and given up here.
  void count_given_up(const Schedule& schedule) {
    for (std::uint32_t p = 0; roles_.timers != nullptr && p < history_.process_count(); ++p) {
      std::size_t count = 0;
      for (std::uint32_t e = history_.first_event[p]; e < history_.first_event[p + 1]; ++e) {
        const HistoryEvent& event = history_.events[e];
        count += event.kind() == HistoryKind::receive && event.match != kNoEvent && schedule.finished_ns[e] >= 0 &&
                 schedule.cause[e] == kNoEvent;
      }
      if (count > 0) given_up_.emplace_back(ProcessId{p}, count);
    }
  }

  // Other delays show in the elapsed time.
  bool is_the_run() const {
    const Target traced = traced_target(history_);
    return traced_elapsed_s_ == prediction_.elapsed_s && history_.info.properties.scripted &&
           target_.machine_of == traced.machine_of && target_.machines == traced.machines &&
           target_.process_speed.empty() && target_.links.empty() && target_.replicas.empty();
  }

  void find_the_interval() {
    if (!options_.interval || options_.method != SharingMethod::replay || prediction_.order == Order::recorded) return;
    Roles none;
    none.keeps_order = roles_.keeps_order;
    const Predicted predicted{prediction_.order, prediction_.order == Order::role ? roles_ : none,
                              choices_,          hidden_,
                              prediction_.P,     prediction_.elapsed_s,
                              is_the_run(),      alternatives()};
    const double systematic = std::abs(prediction_.identity_error) + prediction_.clock_error.value_or(0);
    prediction_.interval = find_interval(history_, target_, predicted, causality_, systematic);
    Interval& interval = *prediction_.interval;
    double open = 0;
    for (const RoleGroup& group : prediction_.roles) open = std::max(open, difference_of_workers(history_, group));
    if (is_the_run() || prediction_.order != Order::role) open = 0;
    interval.low_elapsed_s =
        std::min(interval.low_elapsed_s / (1 + open), prediction_.elapsed_s * std::min(earlier_, answered_earlier_));
    interval.high_elapsed_s *= 1 + open;
    interval.low_P /= 1 + open;
    interval.high_P = std::max(interval.high_P * (1 + open), prediction_.P / answered_earlier_);
  }

  // Behaviour that the trace does not exclude.
  std::vector<Roles> alternatives() const {
    std::vector<Roles> others;
    if (prediction_.order == Order::recorded) return others;
    if (gathers_by_sender_ && roles_.gathers != nullptr) others.emplace_back(roles_).gathers = nullptr;
    if (!counts_or_in_turn_.empty()) {
      Roles& in_turn = others.emplace_back(roles_);
      in_turn.keeps_order.resize(history_.process_count());
      for (const ProcessId process : counts_or_in_turn_) {
        in_turn.keeps_order[process.value] = true;
        in_turn.counts_from[process.value].clear();
      }
      Roles& as_it_comes = others.emplace_back(in_turn);
      as_it_comes.keeps_order = roles_.keeps_order;
    }
    std::vector<ProcessId> open = open_;
    if (!has_hidden())
      for (const std::uint32_t p : early_) open.push_back(ProcessId{p});
    if (open.empty()) return others;
    Roles& in_order = others.emplace_back(roles_);
    in_order.keeps_order.resize(history_.process_count());
    for (const ProcessId process : open) in_order.keeps_order[process.value] = true;
    Roles& as_it_comes = others.emplace_back(roles_);
    as_it_comes.keeps_order.clear();
    return others;
  }

  void find_sensitivity() {
    const auto change = [&](const Target& target) {
      const auto changed = elapsed_s(target);
      return changed && prediction_.elapsed_s > 0 ? *changed / prediction_.elapsed_s - 1 : 0;
    };
    prediction_.sensitivity =
        Sensitivity{change(with_longer_delays(target_, 1.1)), change(with_slower_machines(target_, 1.1)), {}};
    if (options_.method == SharingMethod::replay)
      prediction_.sensitivity->gains = find_gains(history_, target_, roles_, prediction_.order);
  }

  void name_unknown() {
    for (const ProcessId process : open_)
      prediction_.unknown.push_back(
          fmt::format("{} waits for several messages at once, and the trace does not show which it needs",
                      history_.info[process].name));
    for (const std::uint32_t p : early_)
      prediction_.unknown.push_back(
          fmt::format("{} would answer before it is asked: it depends on state that its messages do not show",
                      history_.info.processes[p].name));
    if (history_.info.properties.scripted && !history_.info.properties.delays_known)
      prediction_.unknown.push_back(
          "messages took delays that vary, or were lost: which ones on this placement is unknown");
    if (history_.info.properties.scripted && prediction_.clock_error.value_or(0) > kKnownPauses)
      prediction_.unknown.push_back(fmt::format(
          "processes pause in ways that no message explains: the replay of the traced placement is off by {:.1f} %",
          *prediction_.clock_error * 100));
    for (const auto& [process, count] : given_up_)
      prediction_.unknown.push_back(
          fmt::format("{} gives up {} that were answered in the trace; its behaviour after giving up is unknown",
                      history_.info[process].name, counted(count, "call")));
    for (const HiddenState::Entry& entry : hidden_.entries)
      if (is_unknown(entry.kind))
        prediction_.unknown.push_back(
            fmt::format("{} would {}", history_.info.processes[entry.process].name, reason_of(entry)));
    for (const HiddenState::Entry& entry : hidden_.entries)
      if (entry.kind == HiddenState::Kind::memory && exchanges_with_equals(history_, entry.process))
        prediction_.unknown.push_back(
            fmt::format("{} exchanges work with its peers depending on its own state: which of them does which work on "
                        "this placement is unknown",
                        history_.info.processes[entry.process].name));
  }

  void add_warnings() {
    auto& warnings = prediction_.warnings;
    warnings.insert(warnings.begin(), history_.warnings.begin(), history_.warnings.end());
    if (!history_.receive_calls_metered && prediction_.order != Order::recorded) {
      warnings.push_back(
          "RECEIVECALL was not metered, so every receive is assumed to accept any message; if some wait for one "
          "channel, "
          "meter it");
    }
    if (forced_ > 0) {
      warnings.push_back(
          std::to_string(forced_) +
          " receives had to take a message they did not wait for, because no process could continue otherwise: these "
          "processes depend on more than their messages");
    }
  }

  static constexpr double kKnownPauses = .02;  // clock error of a simulated trace, which rounding does not explain
  static constexpr int kRulesDropped = 4;      // replays; in the last one all processes keep their order

  const History& history_;
  const Target& target_;
  const PredictOptions& options_;
  const CausalityCheck causality_;
  bool gathers_by_sender_ = false;
  std::vector<ProcessId> counts_or_in_turn_;
  std::vector<ProcessId> open_;       // not explained by a rule
  std::vector<std::uint32_t> early_;  // that answer before they are asked
  Roles roles_;
  DestinationChoices choices_;
  HiddenState hidden_;
  std::uint64_t forced_ = 0;
  std::vector<double> ends_ns_;                              // by process, in the prediction
  std::vector<std::pair<ProcessId, std::size_t>> given_up_;  // calls, here only
  // Of the elapsed time: a run may end sooner, by find_last() and find_earlier_answers().
  double earlier_ = 1, answered_earlier_ = 1;
  double traced_elapsed_s_ = 0;  // predicted for the traced placement
  Prediction prediction_;
};

}  // namespace

std::string_view name_of(Order order) {
  switch (order) {
    case Order::recorded:
      return "recorded";
    case Order::arrival:
      return "arrival";
    case Order::role:
      return "role";
  }
  return "";
}

std::string_view name_of(std::optional<Order> order) { return order ? name_of(*order) : "auto"; }

std::optional<Order> order_from_name(std::string_view name) {
  for (const Order order : kOrders) {
    if (name == name_of(order)) return order;
  }
  return std::nullopt;
}

std::string order_text(const Prediction& prediction) {
  std::string text;
  for (const auto& entry : prediction.why) {
    const bool is_new = text.find(entry.order) == std::string::npos;
    if (entry.order != "any" && !entry.is_open && is_new) text += (text.empty() ? "" : ", ") + entry.order;
  }
  return text.empty() ? std::string(name_of(prediction.order)) : text;
}

Result<Prediction> predict(const History& history, const Target& target, const PredictOptions& options) {
  return Predictor(history, target, options).run();
}

std::optional<double> clock_error(const History& history, const Roles& roles) {
  const Target traced = traced_target(history);
  const ReplayResult replayed = Replay(history, traced, roles).run(Order::recorded, traced.machine_of, true);
  if (replayed.elapsed_ns <= 0) return 0;
  const auto& finished_ns = replayed.schedule->finished_ns;
  double greatest_ns = 0;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    const LocalSpan& span = history.local_spans[p];
    const std::uint32_t first = span.first_event, last = span.last_event;
    if (first == kNoEvent || finished_ns[first] < 0 || finished_ns[last] < 0) continue;
    if (waits_unseen(history, first + 1, last + 1)) return std::nullopt;
    const double replayed_ns = finished_ns[last] - finished_ns[first];
    greatest_ns = std::max(greatest_ns, std::abs(replayed_ns - static_cast<double>((span.last - span.first).ns)));
  }
  return greatest_ns / replayed.elapsed_ns;
}

}  // namespace dpm
