#include "cli/serving/page_process.hpp"

#include <unistd.h>

#include "cli/serving/serving_program.hpp"
#include "os/own_program.hpp"

namespace dpm::cli {
Result<void> start_page(const std::string& output) {
  const auto pid = start_in_session({serving_program(), "serve", "--while-watched", output}, {.output = STDERR_FILENO});
  if (!pid) return pid.error();
  return {};
}

}  // namespace dpm::cli
