#include "cli/serving/page_process.hpp"

#include <unistd.h>

#include <filesystem>

#include "os/own_program.hpp"

namespace dpm::cli {
namespace {

// dpm-sim has no `serve`: its package puts it into libexec/dpm, a build beside dpm (cli/dpm/main.cpp).
std::string serving_program() {
  const std::string own = own_program();
  const auto folder = std::filesystem::path(own).parent_path();
  for (const auto& place : {folder / "dpm", folder / "../../bin/dpm"}) {
    std::error_code ignored;
    if (std::filesystem::exists(place, ignored)) return place.string();
  }
  return own;
}

}  // namespace

Result<void> start_page(const std::string& output) {
  const auto pid = start_in_session({serving_program(), "serve", "--while-watched", output}, {.output = STDERR_FILENO});
  if (!pid) return pid.error();
  return {};
}

}  // namespace dpm::cli
