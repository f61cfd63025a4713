// dpm-mpi: analyses of dpm by several processes that MPI starts, on one machine or many:
//
//   mpirun -n 4 dpm-mpi parallelism TRACE
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "answers/parallel/mpi/mpi_ranks.hpp"
#include "cli/command.hpp"
#include "cli/divided/divided_commands.hpp"
#include "cli/divided/divided_run.hpp"
#include "text/terminal.hpp"

namespace dpm {
namespace {

// Programs of different versions may understand each other wrongly, or count differently.
void require_one_version(Ranks& ranks) {
  constexpr std::string_view version = DPM_MPI_VERSION;
  ByteWriter out;
  out.put(version);
  const Bytes first = ranks.from_first(out.take());
  ByteReader in(first);
  std::string of_first;
  in.get(of_first);
  if (of_first != version)
    ranks.end_all("this is version " + std::string(version) + " of dpm-mpi, and the first rank is " + of_first +
                  "; install the same version on all machines");
}

// For measurements: DPM_RANK_TIMES=1 shows what each rank used since MPI has started it.
class RankTimes {
 public:
  RankTimes() : began_(Clock::now()), to_start_s_(cpu_s()) {}

  void show(const Ranks& ranks) const {
    if (std::getenv("DPM_RANK_TIMES") == nullptr) return;
    const double elapsed_s = std::chrono::duration<double>(Clock::now() - began_).count();
    std::cerr << fmt::format(
        "times of rank {}: {:.4f} s, {:.4f} s of CPU time at work, {:.4f} s in waiting, {:.4f} s to start, {} kB of "
        "memory\n",
        ranks.own(), elapsed_s, cpu_s() - to_start_s_ - ranks.waiting_cpu_s(), ranks.waiting_cpu_s(), to_start_s_,
        used().ru_maxrss);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static rusage used() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return used;
  }
  static double cpu_s() {
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    const rusage now = used();
    return seconds(now.ru_utime) + seconds(now.ru_stime);
  }

  Clock::time_point began_;
  double to_start_s_ = 0;  // CPU time
};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) {
  using namespace dpm;
  const std::string_view first = argc > 1 ? argv[1] : "";
  const bool asks_about_itself = first == "--help" || first == "-h" || first == "--version";
  Terminal terminal = standard_terminal();
  if (asks_about_itself) return cli::run_command_line(divided_commands(), argc, argv, terminal);
  if (!started_as_rank()) {
    std::cerr
        << "dpm-mpi: start it with mpirun: mpirun -n 2 dpm-mpi parallelism TRACE (Debian: openmpi-bin; 'dpm' needs "
           "none). With more ranks than cores mpirun needs --oversubscribe, and for root --allow-run-as-root\n";
    return cli::kWrongInput;
  }
  if (jobs_of(argc, argv) > 1) {
    std::cerr << "dpm-mpi: -j is for 'dpm'; mpirun -n says how many ranks there are\n";
    return cli::kWrongInput;
  }
  MpiRanks ranks(argc, argv);
  const RankTimes times;
  require_one_version(ranks);
  const int status = run_divided(ranks, divided_commands, argc, argv, terminal);
  times.show(ranks);
  return status;
}
