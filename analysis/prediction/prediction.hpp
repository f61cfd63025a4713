// How parallel, and how fast, a traced computation would be on another placement.
//
// A prediction is a replay of the trace (analysis/history/replay.hpp) on the target, and always reports how far it can
// be trusted:
//   interval        where the truth is expected, by what the trace leaves open (interval.hpp)
//   spread          the results of the other orders of receives. Recorded order is pessimistic nearly everywhere: it waits
//                   for messages that came first only on the old placement. Where all agree, order does not matter.
//   identity_error  the same method on the traced placement compared with the trace's own order: what the choice of
//                   order alone changes where nothing should change.
//   clock_error     the replay of the traced placement compared with the clocks in the trace. If it is greater than a
//                   clock's drift and tick, something that the trace does not show took time: the meter, unless its time is
//                   known; other load; a wrong delay model; lost events. There is none where processes wait for ones outside the
//                   computation: the replay omits these waits, the clocks do not.
//   sensitivity     how much an error of 10 % in the delay model or in CPU times would matter, and where 1 % less pays
//                   most (gains.hpp); on request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/behaviour/behaviour.hpp"
#include "analysis/behaviour/roles.hpp"
#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"
#include "analysis/parallelism/parallelism.hpp"
#include "analysis/prediction/gains.hpp"
#include "analysis/prediction/interval.hpp"
#include "model/result.hpp"

namespace dpm {

std::string_view name_of(Order order);                 // "recorded", "arrival", "role"
std::string_view name_of(std::optional<Order> order);  // or "auto"
std::optional<Order> order_from_name(std::string_view name);

struct PredictOptions {
  // Default: chosen for each process (analysis/behaviour), or recorded with thesis1984, which has no other order.
  std::optional<Order> order = std::nullopt;
  SharingMethod method = SharingMethod::replay;
  bool sensitivity = false;
  bool interval = true;  // costs a dozen replays
  // The history of a metered run including the time that its meter took (put_in_meters_time): what the clocks are
  // compared with. Null: the history itself, and then the clock error includes the meter's time.
  const History* as_it_ran = nullptr;
};

struct Spread {
  double low_P = 0, high_P = 0;
  double low_elapsed_s = 0, high_elapsed_s = 0;
};

// Relative changes of the elapsed time.
struct Sensitivity {
  double delays_10_percent_longer = 0;
  double cpu_10_percent_slower = 0;
  Gains gains;  // with the exact replay only
};

// From when to when a process of the prediction exchanges messages, counted from the beginning of the computation: a
// program's own measure of its speed seldom includes its start and that of others.
struct MessageSpan {
  ProcessId process;
  double first_s = 0, last_s = 0;
};

struct Prediction {
  std::string placement;
  double P = 0;
  double T_s = 0;
  double elapsed_s = 0;
  bool automatic = false;          // the order was chosen for each process: `why`
  Order order = Order::arrival;    // of the replay; automatic: role where there are dispatchers or counting processes
  std::vector<BehaviourRule> why;  // automatic: every process that receives
  SharingMethod method = SharingMethod::replay;
  Spread spread;
  std::vector<MessageSpan> message_spans;  // exact replay only; by process, of those that have messages
  std::optional<Interval> interval;        // arrival, role: interval.hpp
  double identity_error = 0;
  std::optional<double> clock_error;
  bool clock_error_has_meter = false;  // of a live trace: the time that metering took is in it
  std::optional<Sensitivity> sensitivity;
  std::vector<RoleGroup> roles;  // role order: which worker got which task
  // Processes that the trace does not explain, each in a sentence: the result is one of those that are possible, and the interval
  // has those that were tried.
  std::vector<std::string> unknown;
  double shortest_s = 0;  // no rule is needed to see that it cannot be faster (causality_check.hpp); exact replay only
  std::vector<std::string> warnings;
};

// Refuses thesis1984 with another order than recorded, role order where no roles are found, and what
// measure_parallelism refuses.
Result<Prediction> predict(const History& history, const Target& target, const PredictOptions& options = {});

// The order in words, for a table: "arrival", or those of several processes, "role, arrival".
std::string order_text(const Prediction& prediction);

// Compares with the trace's own clocks: see `clock_error`. The replay waits for the timers of `roles`.
std::optional<double> clock_error(const History& history, const Roles& roles = {});

}  // namespace dpm
