// Samples a program and what it starts while another part of this process does something else, into a file of samples
// (sampling/log), until it is destroyed or the program has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "model/result.hpp"
#include "os/unique_fd.hpp"
#include "sampling/log/state_log_writer.hpp"
#include "sampling/proc/proc_sampler.hpp"
#include "sampling/proc/sample_clock.hpp"

namespace dpm::cli {

class BackgroundSampler {
 public:
  // `path`: a new file.
  static Result<std::unique_ptr<BackgroundSampler>> start(std::uint32_t pid, const std::string& path,
                                                          std::uint64_t interval_ns);
  BackgroundSampler(const BackgroundSampler&) = delete;
  ~BackgroundSampler();

  // No more samples. What went wrong meanwhile.
  Result<void> end();

 private:
  BackgroundSampler(sampling::ProcSampler sampler, sampling::StateLogWriter log, sampling::SampleClock clock,
                    UniqueFd stop);
  void run();

  sampling::ProcSampler sampler_;
  sampling::StateLogWriter log_;
  sampling::SampleClock clock_;
  UniqueFd stop_;  // readable at the end
  std::thread thread_;
};

}  // namespace dpm::cli
