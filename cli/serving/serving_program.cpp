#include "cli/serving/serving_program.hpp"

#include <filesystem>

#include "os/own_program.hpp"

namespace dpm::cli {

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

}  // namespace dpm::cli
