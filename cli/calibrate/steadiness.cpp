#include "cli/calibrate/steadiness.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/number_text.hpp"

namespace dpm::cli {
namespace {

constexpr double kNarrowShare = .2, kNarrow_s = .4e-6;
constexpr double kUsableShare = .5, kUsable_s = 1e-6;

std::string in_us(double seconds) { return fixed(seconds * 1e6, 2) + " us"; }

class Finding {
 public:
  void look_at(FigureGroup group, const std::string& what, const Measured& measured) {
    const Steadiness steadiness = steadiness_of(measured);
    if (steadiness != Steadiness::narrow) found_.push_back({group, what, measured, steadiness != Steadiness::unusable});
  }
  void look_at(FigureGroup group, const std::string& what, const std::map<std::uint32_t, Measured>& by_size) {
    for (const auto& [bytes, measured] : by_size)
      look_at(group, what + " of " + std::to_string(bytes) + " bytes", measured);
  }
  std::vector<UnsteadyFigure> take() { return std::move(found_); }

 private:
  std::vector<UnsteadyFigure> found_;
};

}  // namespace

Steadiness steadiness_of(const Measured& measured) {
  const double apart = measured.high - measured.low;
  if (apart <= std::max(kNarrowShare * measured.median, kNarrow_s)) return Steadiness::narrow;
  return apart <= std::max(kUsableShare * measured.median, kUsable_s) ? Steadiness::wide : Steadiness::unusable;
}

std::vector<UnsteadyFigure> unsteady_figures(const TransportFigures& figures) {
  Finding finding;
  finding.look_at(FigureGroup::messages, "a round trip on one core", figures.local_round_trip);
  finding.look_at(FigureGroup::two_cores, "a message between two cores", figures.remote_watched);
  for (const WakeUpFigures& after : figures.wake_ups) {
    const std::string waking = fmt::format("waking a core that was idle for {}: ", in_us(after.idle.median));
    finding.look_at(FigureGroup::two_cores, waking + "CPU time of the sender", after.sender_cpu);
    finding.look_at(FigureGroup::two_cores, waking + "CPU time of the receiver", after.receiver_cpu);
    finding.look_at(FigureGroup::two_cores, waking + "delay of the message", after.delivery);
  }
  finding.look_at(FigureGroup::metering, "a metered call: CPU time", figures.metered_call_cpu);
  finding.look_at(FigureGroup::metering, "a metered call: longer", figures.metered_call_elapsed);
  finding.look_at(FigureGroup::metering, "a metered call that waits: CPU time", figures.metered_waiting_cpu);
  finding.look_at(FigureGroup::metering, "a metered call that waits: longer", figures.metered_waiting_elapsed);
  finding.look_at(FigureGroup::metering, "waking while metered: CPU time of the sender",
                  figures.metered_wake_up_sender_cpu);
  finding.look_at(FigureGroup::metering, "waking while metered: CPU time of the receiver",
                  figures.metered_wake_up_receiver_cpu);
  return finding.take();
}

}  // namespace dpm::cli
