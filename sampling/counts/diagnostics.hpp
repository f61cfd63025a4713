// How far the samples of one run can be trusted (S4, appendix 3): the diagnostics that MON printed, in today's terms.
//
//   sample          of one thread at one instant, by the resource that its state belongs to
//   bad             recognised, but perhaps from more than one instant: at each of three tries the thread moved between the reads of its
//                   files, or its call could not be read
//   not recognised  no rule knows the state; the evidence says where it waited
//   invalid         the whole sample was given up: the kernel did not answer
//   missed          the time of a sample passed while the sampler waited or worked; the invalid ones are among them
//   jitter          the standard deviation of how late samples began
#pragma once

#include <array>
#include <cstdint>

#include "sampling/counts/count_array.hpp"

namespace dpm::sampling {

class Diagnostics {
 public:
  void add(const Sample& sample);
  void add_invalid() { ++invalid_; }
  void add_delay(std::uint64_t delay_ns);

  std::uint64_t invalid() const { return invalid_; }
  double jitter_ns() const;
  std::uint64_t samples(Resource resource) const { return samples_[static_cast<std::size_t>(resource)]; }
  std::uint64_t bad(Resource resource) const { return bad_[static_cast<std::size_t>(resource)]; }

 private:
  std::array<std::uint64_t, kResources> samples_ = {}, bad_ = {};
  std::uint64_t invalid_ = 0;
  // Welford's method: sums of squares would cancel.
  double delays_ = 0, mean_ns_ = 0, squares_ = 0;
};

}  // namespace dpm::sampling
