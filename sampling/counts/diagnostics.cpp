#include "sampling/counts/diagnostics.hpp"

#include <cmath>

namespace dpm::sampling {

void Diagnostics::add(const Sample& sample) {
  for (const auto& thread : sample.threads) {
    if (!thread.recognised) continue;
    const auto resource = static_cast<std::size_t>(info_of(thread.state).resource);
    ++samples_[resource];
    if (thread.is_bad) ++bad_[resource];
  }
}

void Diagnostics::add_delay(std::uint64_t delay_ns) {
  const double delay = static_cast<double>(delay_ns), from_mean = delay - mean_ns_;
  ++delays_;
  mean_ns_ += from_mean / delays_;
  squares_ += from_mean * (delay - mean_ns_);
}

double Diagnostics::jitter_ns() const { return delays_ > 0 ? std::sqrt(squares_ / delays_) : 0; }

}  // namespace dpm::sampling
