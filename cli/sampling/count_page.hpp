// A count array as a page: components by level of workload (S4 figures 6.1 to 6.4), and the use of resources.
#pragma once

#include <string>

#include "cli/sampling/count_results.hpp"

namespace dpm::cli {

std::string count_page(const sampling::CountArray& counts, const CountQuestion& question);

}  // namespace dpm::cli
