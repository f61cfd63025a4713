#include "model/delay_model.hpp"

namespace dpm {

Result<PiecewiseLinear> PiecewiseLinear::through(std::vector<std::pair<double, double>> points) {
  if (points.empty()) return Error{"a delay needs at least one [bytes, seconds] point"};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!(points[i].first >= 0) || !(points[i].second >= 0)) return Error{"sizes and times must not be negative"};
    if (i > 0 && points[i].first <= points[i - 1].first) return Error{"sizes must increase from point to point"};
  }
  PiecewiseLinear line;
  line.points_ = std::move(points);
  return line;
}

double PiecewiseLinear::at(double x) const {
  if (points_.empty()) return 0;
  if (x <= points_.front().first || points_.size() == 1) return points_.front().second;
  std::size_t upper = 1;
  while (upper + 1 < points_.size() && points_[upper].first < x) ++upper;
  const auto& [x0, y0] = points_[upper - 1];
  const auto& [x1, y1] = points_[upper];
  const double y = y0 + (x - x0) * (y1 - y0) / (x1 - x0);
  return y > 0 ? y : 0;  // a falling last segment must not turn negative
}

const DelayClass& DelayModel::between(const std::string& sender_machine, const std::string& receiver_machine) const {
  if (sender_machine == receiver_machine) return local;
  for (const auto& pair : pairs) {
    const bool forward = pair.machine_a == sender_machine && pair.machine_b == receiver_machine;
    const bool backward = pair.machine_a == receiver_machine && pair.machine_b == sender_machine;
    if (forward || backward) return pair.delays;
  }
  return remote;
}

Duration DelayModel::delivery(const DelayClass& delays, std::uint64_t bytes) {
  return Duration::from_seconds(delays.delivery_s.at(static_cast<double>(bytes)));
}

Duration DelayModel::sender_cpu(const DelayClass& delays, std::uint64_t bytes) {
  return Duration::from_seconds(delays.sender_cpu_s.at(static_cast<double>(bytes)));
}

Duration DelayModel::receiver_cpu(const DelayClass& delays, std::uint64_t bytes) {
  return Duration::from_seconds(delays.receiver_cpu_s.at(static_cast<double>(bytes)));
}

DelayModel DelayModel::demos_vax() {
  DelayModel model;
  model.name = "demos-vax";
  model.local.delivery_s = PiecewiseLinear::through({{1, .0042}, {10, .0043}, {100, .0080}, {1000, .0128}}).value();
  model.remote.delivery_s = PiecewiseLinear::through({{1, .013}, {10, .013}, {100, .016}, {1000, .035}}).value();
  return model;
}

}  // namespace dpm
