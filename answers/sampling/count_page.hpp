// A count array as a page: components by level of workload (S4 figures 6.1 to 6.4), and the use of resources.
#pragma once

#include <string>
#include <vector>

#include "answers/sampling/count_results.hpp"
#include "view/report.hpp"

namespace dpm::cli {

// The states and resources; then the figures of MON.
std::vector<view::Section> count_sections(const sampling::CountArray& counts, const CountQuestion& question);
std::string count_page(const sampling::CountArray& counts, const CountQuestion& question);

}  // namespace dpm::cli
