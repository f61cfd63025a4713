// The four figures of MON (S4 6.1 to 6.4) for a count array: how groups of states change with the workload. MON drew them for
// processes in the foreground, by the number of logged-in terminals.
//
//   6.1  CPU run, CPU queue
//   6.2  paging I/O, other disk I/O (neither paging nor swap)
//   6.3  system, and waiting for the user: terminal input, stopped
//   6.4  CPU, I/O, input, other
//
// The text of S4 that says which states figure 6.1 has is lost; the CPU component is named elsewhere.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "answers/sampling/count_results.hpp"
#include "view/report.hpp"

namespace dpm::cli {

// Of the question's workload and scope; its groups are not used.
std::string mon_figures_text(const sampling::CountArray& counts, const CountQuestion& question, int width);
nlohmann::ordered_json mon_figures_json(const sampling::CountArray& counts, const CountQuestion& question);
view::Section mon_figures_section(const sampling::CountArray& counts, const CountQuestion& question);

}  // namespace dpm::cli
