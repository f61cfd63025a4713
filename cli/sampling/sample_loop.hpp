// Takes samples at their times until the end: of the command, of all processes, of the time, or a signal or key.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "answers/sampling/kept_counts.hpp"
#include "cli/sampling/sampled_command.hpp"
#include "model/result.hpp"
#include "sampling/counts/count_array.hpp"
#include "sampling/counts/diagnostics.hpp"
#include "sampling/log/state_log_writer.hpp"
#include "sampling/proc/proc_sampler.hpp"
#include "sampling/stacks/stack_sampler.hpp"
#include "sampling/waits/wait_places.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

struct SampleLoop {
  std::uint64_t interval_ns = 0;
  std::uint64_t most_ns = 0;       // 0: until something else ends it
  std::uint64_t samples_most = 0;  // likewise
  bool shows_table = false;        // while it samples, on the whole terminal
  bool colour = false;
  sampling::StateLogWriter* log = nullptr;   // null: only counts are kept
  sampling::WaitPlaces* waits = nullptr;     // null: it is not looked for where threads wait
  sampling::StackSampler* stacks = nullptr;  // null: call stacks are not wanted
  KeptCounts* kept = nullptr;                // null: the counts are not wanted in a file
};

Result<void> take_samples(const SampleLoop& loop, sampling::ProcSampler& sampler, SampledCommand* command,
                          sampling::CountArray& counts, sampling::Diagnostics& diagnostics);

}  // namespace dpm::cli
