#include "control/controller/rank_launchers.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace dpm::control {
namespace {

constexpr std::string_view kOfOpenMpi[] = {"mpirun", "mpiexec", "orterun"};
constexpr std::string_view kOthers[] = {"mpiexec.hydra", "prterun", "prun", "srun"};

template <typename Names>
bool is_one_of(const Names& names, const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

std::string remark_on_ranks(const std::string& file, const std::vector<std::string>& arguments) {
  const std::string name = std::filesystem::path(file).filename();
  const bool is_of_open_mpi = is_one_of(kOfOpenMpi, name);
  if (!is_of_open_mpi && !is_one_of(kOthers, name)) return "";
  for (const auto& argument : arguments)
    if (argument.find("dpm meter ") != std::string::npos || argument.ends_with("dpm")) return "";
  const std::string remark = "starts processes on other machines itself; those are not metered";
  if (!is_of_open_mpi) return remark + " (docs/control.md, 'MPI')";
  return remark +
         ". With Open MPI, --mca orte_launch_agent 'dpm meter -o ranks-$(uname -n) -- orted' meters them, each machine "
         "into a "
         "trace of its own, and 'dpm merge' joins these (docs/control.md, 'MPI')";
}

}  // namespace dpm::control
