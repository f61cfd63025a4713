// A placement for other tools: what mpirun and srun need to start a computation as DPM would place it.
//
// Ranks are the processes that may move, in the order of the trace. A machine coreN is a core of the host on which the trace was made.
#pragma once

#include <string>
#include <vector>

#include "analysis/history/target.hpp"
#include "model/result.hpp"

namespace dpm::cli {

struct RankPlace {
  std::string process;
  std::string host;
  std::string cpus;  // of the host, as "0-3"

  friend bool operator==(const RankPlace&, const RankPlace&) = default;
};

// `movable` as in SearchOptions: names of processes; empty: all.
std::vector<RankPlace> ranks_of(const History& history, const Target& target, const std::vector<std::string>& movable);

// Open MPI: mpirun --rankfile FILE
std::string rankfile_text(const std::vector<RankPlace>& ranks);
// Slurm: one host for each rank, for SLURM_HOSTFILE and --distribution=arbitrary.
std::string slurm_hosts_text(const std::vector<RankPlace>& ranks);
// Slurm: the options of srun. block and cyclic where these are the same as the placement; `hosts_file` is named otherwise.
std::string slurm_options_text(const std::vector<RankPlace>& ranks, const std::string& hosts_file);

// A new folder with placement.json, rankfile, slurm-hosts and slurm-options.
Result<void> write_hints(const std::string& folder, const History& history, const Target& target,
                         const std::vector<std::string>& movable);

}  // namespace dpm::cli
