#include "cli/calibrate/calibration_run.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "cli/calibrate/steadiness.hpp"
#include "text/number_text.hpp"

namespace dpm::cli {
namespace {

constexpr std::array kSizes = {64u, 1024u, 8192u, 65536u};
constexpr std::uint32_t kMeteredBytes = 1024;
constexpr std::uint32_t kGapsFewer =
    4;  // fewer messages where gaps lie between them: the gaps take time, and medians need no more
constexpr std::uint32_t kWorkingSetBytes = 48 * 1024;  // the first-level cache of today's processors
// Besides kUsualGap_s. In the shortest gap a receiver that was woken barely falls asleep again.
constexpr std::array kOtherGaps_s = {10e-6, 20e-6, 40e-6, 80e-6, 400e-6};

// The runs of one transport, one entry per repetition.
struct Runs {
  std::map<std::uint32_t, std::vector<LoadFigures>> alone, local, watched, asleep;  // by size
  std::map<double, std::vector<LoadFigures>> asleep_after;                          // by gap, of kMeteredBytes
  std::vector<LoadFigures> bare_alone, bare_local, bare_asleep;                     // beside the metered ones
  std::vector<MeteredFigures> metered_alone, metered_local, metered_asleep;
};

template <typename Figures>
Measured over(const std::vector<Figures>& runs, const std::function<double(const Figures&)>& what) {
  std::vector<double> values;
  for (const auto& run : runs) values.push_back(what(run));
  return Measured::of(values);
}

// How much more one of two alternated ways of running costs; at least 0.
template <typename More, typename Less>
Measured difference(const std::vector<More>& more, const std::vector<Less>& less,
                    const std::function<double(const More&)>& of_more,
                    const std::function<double(const Less&)>& of_less) {
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min(more.size(), less.size()); ++i)
    values.push_back(std::max(of_more(more[i]) - of_less(less[i]), 0.0));
  return Measured::of(values);
}

double cpu_of(const LoadFigures& run) { return run.cpu_s; }
double metered_cpu_of(const MeteredFigures& run) { return run.cpu_s(); }
double elapsed_of(const LoadFigures& run) { return run.elapsed_s; }
double metered_elapsed_of(const MeteredFigures& run) { return run.elapsed_s; }

Measured scaled(Measured measured, double factor) {
  return {measured.median * factor, measured.low * factor, measured.high * factor};
}

Measured less(Measured measured, double known) {
  const auto at_least_nothing = [known](double value) { return std::max(value - known, 0.0); };
  return {at_least_nothing(measured.median), at_least_nothing(measured.low), at_least_nothing(measured.high)};
}

// The runs in which a receiver is woken after one length of gap.
class WakeUpRuns {
 public:
  void add(const std::vector<LoadFigures>& asleep, const std::vector<LoadFigures>& watched, double receiving_s) {
    for (std::size_t i = 0; i < asleep.size(); ++i) add(asleep[i], watched[i], receiving_s);
  }
  WakeUpFigures figures() const {
    return {Measured::of(idle_), Measured::of(sender_), Measured::of(receiver_), Measured::of(delivery_)};
  }

 private:
  void add(const LoadFigures& asleep, const LoadFigures& watched, double receiving_s) {
    const double woken_s = std::max(asleep.receiver_cpu_s - receiving_s, 0.0);
    idle_.push_back(std::max(asleep.elapsed_s - asleep.latency_s - receiving_s, 0.0));
    sender_.push_back(std::max(asleep.sender_cpu_s - watched.sender_cpu_s, 0.0));
    receiver_.push_back(woken_s);
    // The latency contains the receiver's CPU time of waking and receiving, which is counted separately.
    delivery_.push_back(std::max(asleep.latency_s - watched.latency_s - woken_s - receiving_s, 0.0));
  }

  std::vector<double> idle_, sender_, receiver_, delivery_;
};

void evaluate_remote(const Runs& runs, TransportFigures& figures) {
  std::map<double, WakeUpRuns> by_gap;
  for (const auto& [bytes, asleep] : runs.asleep) {
    const auto& watched = runs.watched.at(bytes);
    figures.remote_watched[bytes] = over<LoadFigures>(watched, [](const auto& run) { return run.latency_s; });
    figures.remote_asleep[bytes] = over<LoadFigures>(asleep, [](const auto& run) { return run.latency_s; });
    by_gap[kUsualGap_s].add(asleep, watched, figures.receive_cpu.at(bytes).median);
  }
  for (const auto& [gap_s, asleep] : runs.asleep_after)
    by_gap[gap_s].add(asleep, runs.watched.at(kMeteredBytes), figures.receive_cpu.at(kMeteredBytes).median);
  for (const auto& [gap_s, of_gap] : by_gap) figures.wake_ups.push_back(of_gap.figures());
}

TransportFigures evaluate(const Runs& runs) {
  TransportFigures figures;
  for (const auto& [bytes, alone] : runs.alone) {
    figures.send_cpu[bytes] = over<LoadFigures>(alone, [](const auto& run) { return run.sender_cpu_s; });
    figures.receive_cpu[bytes] = over<LoadFigures>(alone, [](const auto& run) { return run.receiver_cpu_s; });
    figures.local_round_trip[bytes] = over<LoadFigures>(runs.local.at(bytes), elapsed_of);
    figures.local_round_trip_cpu[bytes] = over<LoadFigures>(runs.local.at(bytes), cpu_of);
  }
  // A message that a process sends to itself is two calls. A round trip is two SENDs and two RECEIVEs that waited.
  figures.metered_call_cpu =
      scaled(difference<MeteredFigures, LoadFigures>(runs.metered_alone, runs.bare_alone, metered_cpu_of,
                                                     [](const auto& run) { return run.cpu_s; }),
             0.5);
  figures.metered_call_elapsed = scaled(
      difference<MeteredFigures, LoadFigures>(runs.metered_alone, runs.bare_alone, metered_elapsed_of, elapsed_of),
      0.5);
  figures.metered_waiting_cpu = less(
      scaled(difference<MeteredFigures, LoadFigures>(runs.metered_local, runs.bare_local, metered_cpu_of, cpu_of), 0.5),
      figures.metered_call_cpu.median);
  figures.metered_waiting_elapsed = less(
      scaled(
          difference<MeteredFigures, LoadFigures>(runs.metered_local, runs.bare_local, metered_elapsed_of, elapsed_of),
          0.5),
      figures.metered_call_elapsed.median);
  if (runs.asleep.empty()) return figures;
  evaluate_remote(runs, figures);
  const double send_s = figures.send_cpu.at(kMeteredBytes).median + figures.metered_call_cpu.median;
  const double receive_s = figures.receive_cpu.at(kMeteredBytes).median + figures.metered_waiting_cpu.median;
  figures.metered_wake_up_sender_cpu =
      less(over<MeteredFigures>(runs.metered_asleep, [](const auto& run) { return run.sender_cpu_s; }), send_s);
  figures.metered_wake_up_receiver_cpu =
      less(over<MeteredFigures>(runs.metered_asleep, [](const auto& run) { return run.receiver_cpu_s; }), receive_s);
  return figures;
}

PiecewiseLinear line_through(const std::map<std::uint32_t, double>& by_size) {
  std::vector<std::pair<double, double>> points;
  for (const auto& [bytes, seconds] : by_size) points.emplace_back(bytes, std::max(seconds, 0.0));
  return PiecewiseLinear::through(std::move(points)).value();
}

WakeUps wake_ups_of(const std::vector<WakeUpFigures>& figures) {
  std::vector<WakeUps::Point> points;
  for (const auto& after : figures) {
    // On a busy machine a longer gap may be measured as a shorter one.
    if (!points.empty() && after.idle.median <= points.back().idle_s) continue;
    points.push_back({after.idle.median, {after.delivery.median, after.sender_cpu.median, after.receiver_cpu.median}});
  }
  return points.empty() ? WakeUps() : WakeUps::through(std::move(points)).value();
}

Calibration to_calibration(const TransportFigures& figures, Transport transport, bool meter_aside) {
  Calibration calibration;
  DelayModel& delays = calibration.delays;
  delays.name = "calibrated-" + std::string(name_of(transport));
  std::map<std::uint32_t, double> local, remote;
  for (const auto& [bytes, round_trip] : figures.local_round_trip) {
    // On one core a message takes CPU time, which is in the trace, and almost nothing else.
    local[bytes] = (round_trip.median - figures.local_round_trip_cpu.at(bytes).median) / 2;
    remote[bytes] = figures.remote_watched.contains(bytes) ? figures.remote_watched.at(bytes).median : local[bytes];
  }
  delays.local.delivery_s = line_through(local);
  delays.remote.delivery_s = line_through(remote);
  delays.remote.wake_ups = wake_ups_of(figures.wake_ups);
  calibration.metering.call_cpu_s = figures.metered_call_cpu.median;
  calibration.metering.waiting_call_cpu_s = figures.metered_waiting_cpu.median;
  calibration.metering.call_elapsed_s = figures.metered_call_elapsed.median;
  calibration.metering.waiting_call_elapsed_s = figures.metered_waiting_elapsed.median;
  if (meter_aside) return calibration;  // a metered process is woken as any other
  calibration.metering.wake_up = {0, figures.metered_wake_up_sender_cpu.median,
                                  figures.metered_wake_up_receiver_cpu.median};
  return calibration;
}

const std::set<FigureGroup> kAllGroups = {FigureGroup::messages, FigureGroup::two_cores, FigureGroup::metering};

std::set<FigureGroup> groups_of(const std::vector<UnsteadyFigure>& figures) {
  std::set<FigureGroup> groups;
  for (const UnsteadyFigure& figure : figures) groups.insert(figure.group);
  return groups;
}

std::string text_of(const UnsteadyFigure& figure) {
  const auto micro = [](double seconds) { return fixed(seconds * 1e6, 2); };
  return fmt::format("{} {} us, quartiles {} to {}", figure.what, micro(figure.measured.median),
                     micro(figure.measured.low), micro(figure.measured.high));
}

class CalibrationRun {
 public:
  CalibrationRun(const CalibrationPlan& plan, const std::string& folder,
                 const std::function<void(const std::string&, int, int)>& progress)
      : plan_(plan), runner_(folder, plan.source, plan.meter_aside), progress_(progress) {}

  Result<CalibrationResult> run() {
    CalibrationResult result;
    result.plan = plan_;
    for (int turn = 0; turn < plan_.repeats; ++turn)
      for (const Transport transport : plan_.transports)
        if (auto done = repeat(transport, kAllGroups); !done) return done.error();
    for (int turn = plan_.repeats; turn < plan_.repeats_most; ++turn) {
      bool any = false;
      for (const Transport transport : plan_.transports) {
        const std::set<FigureGroup> unsteady = groups_of(unsteady_figures(evaluate(runs_[transport])));
        if (unsteady.empty()) continue;
        any = result.measured_again = true;
        if (auto done = repeat(transport, unsteady); !done) return done.error();
      }
      if (!any) break;
    }
    for (const auto& [transport, runs] : runs_) result.of[transport] = evaluate(runs);
    for (const UnsteadyFigure& figure : unsteady_figures(result.of.at(plan_.over)))
      if (!figure.is_usable) result.unusable.push_back(text_of(figure));
    result.calibration = to_calibration(result.of.at(plan_.over), plan_.over, plan_.meter_aside);
    return result;
  }

 private:
  bool two_cores() const { return plan_.core_a != plan_.core_b; }

  Result<void> repeat(Transport transport, const std::set<FigureGroup>& groups) {
    Runs& runs = runs_[transport];
    const std::string over = " over " + std::string(name_of(transport));
    if (groups.contains(FigureGroup::messages)) {
      progress_("messages" + over, ++step_, steps());
      if (auto done = measure_messages(transport, runs); !done) return done.error();
    }
    if (groups.contains(FigureGroup::two_cores)) {
      progress_("waking" + over, ++step_, steps());
      if (auto done = measure_wake_ups(transport, runs); !done) return done.error();
    }
    if (!groups.contains(FigureGroup::metering)) return {};
    progress_("metering" + over, ++step_, steps());
    return measure_metering(transport, runs);
  }

  Result<void> measure_messages(Transport transport, Runs& runs) {
    for (const std::uint32_t bytes : kSizes) {
      if (auto done = measure(plan(transport, LoadShape::alone, bytes), runs.alone[bytes]); !done) return done.error();
      if (auto done = measure(plan(transport, LoadShape::ping_pong, bytes), runs.local[bytes]); !done)
        return done.error();
    }
    return {};
  }

  Result<void> measure_metering(Transport transport, Runs& runs) {
    LoadPlan alone = plan(transport, LoadShape::alone, kMeteredBytes);
    LoadPlan local = plan(transport, LoadShape::ping_pong, kMeteredBytes);
    alone.working_set_bytes = local.working_set_bytes = kWorkingSetBytes;
    if (auto done = measure_both(alone, runs.bare_alone, runs.metered_alone); !done) return done.error();
    if (auto done = measure_both(local, runs.bare_local, runs.metered_local); !done) return done.error();
    if (!two_cores()) return {};
    return measure_both(plan(transport, LoadShape::one_way, kMeteredBytes), runs.bare_asleep, runs.metered_asleep);
  }

  Result<void> measure_wake_ups(Transport transport, Runs& runs) {
    if (!two_cores()) return {};
    for (const std::uint32_t bytes : kSizes) {
      if (auto done = measure(plan(transport, LoadShape::watched, bytes), runs.watched[bytes]); !done)
        return done.error();
      if (auto done = measure(plan(transport, LoadShape::one_way, bytes), runs.asleep[bytes]); !done)
        return done.error();
    }
    LoadPlan asleep = plan(transport, LoadShape::one_way, kMeteredBytes);
    for (const double gap_s : kOtherGaps_s) {
      asleep.gap_s = gap_s;
      if (auto done = measure(asleep, runs.asleep_after[gap_s]); !done) return done.error();
    }
    return {};
  }

  LoadPlan plan(Transport transport, LoadShape shape, std::uint32_t bytes) const {
    const bool apart = shape == LoadShape::one_way || shape == LoadShape::watched;
    return {.transport = transport,
            .shape = shape,
            .bytes = bytes,
            .messages = apart ? std::max(plan_.messages / kGapsFewer, 1u) : plan_.messages,
            .sender_core = plan_.core_a,
            .receiver_core = apart ? plan_.core_b : plan_.core_a,
            .gap_s = apart ? kUsualGap_s : 0};
  }

  Result<void> measure(const LoadPlan& load, std::vector<LoadFigures>& into) {
    auto figures = runner_.run(load);
    if (!figures) return figures.error();
    into.push_back(*figures);
    return {};
  }

  Result<void> measure_both(const LoadPlan& load, std::vector<LoadFigures>& bare,
                            std::vector<MeteredFigures>& metered) {
    auto unmetered = runner_.run_ordinary(load);
    if (!unmetered) return unmetered.error();
    bare.push_back(*unmetered);
    auto figures = runner_.run_metered(load);
    if (!figures) return figures.error();
    metered.push_back(*figures);
    return {};
  }

  int steps() const {
    const int groups = static_cast<int>(kAllGroups.size()) * static_cast<int>(plan_.transports.size());
    return std::max(plan_.repeats * groups, step_);
  }

  const CalibrationPlan& plan_;
  LoadRunner runner_;
  const std::function<void(const std::string&, int, int)>& progress_;
  std::map<Transport, Runs> runs_;
  int step_ = 0;
};

}  // namespace

Measured Measured::of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&values](double share) {
    return values[static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
  };
  return {at(0.5), at(0.25), at(0.75)};
}

Result<CalibrationResult> run_calibration(const CalibrationPlan& plan, const std::string& folder,
                                          const std::function<void(const std::string&, int, int)>& progress) {
  return CalibrationRun(plan, folder, progress).run();
}

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

}  // namespace dpm::cli
