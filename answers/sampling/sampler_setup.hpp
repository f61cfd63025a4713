// What samples are taken with: the source, and what a file of counts says about it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/result.hpp"
#include "sampling/counts/count_array.hpp"
#include "sampling/proc/selection.hpp"
#include "sampling/proc/task_table.hpp"

namespace dpm::cli {

struct SamplerSetup {
  std::unique_ptr<sampling::TaskLooker> looker;  // null: from /proc
  sampling::SamplingSetup setup;
  std::string why_proc;  // why the iterator is not taken, if it was not refused by the user
};

// `source`: "iterator", "proc", or "auto": the iterator, where it is possible and does not cost more.
Result<SamplerSetup> set_up_sampler(const std::string& source, std::uint64_t interval_ns,
                                    const sampling::Selection& selection);

}  // namespace dpm::cli
