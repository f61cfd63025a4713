#include "answers/sampling/count_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "os/read_file.hpp"
#include "sampling/counts/count_file.hpp"

namespace dpm::cli {

Result<sampling::CountArray> read_count_files(const std::vector<std::string>& paths) {
  std::optional<sampling::CountArray> sum;
  for (const auto& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
      return Error{fmt::format("{}: not a file of counts ('dpm sample -o FILE' writes one)", path)};
    auto counts = sampling::read_counts(read_file(path), path);
    if (!counts) return counts.error();
    if (!sum) {
      sum = std::move(*counts);
    } else if (auto merged = sum->merge(*counts); !merged) {
      return Error{fmt::format("{} does not fit {}: {}", path, paths.front(), merged.error().what)};
    }
  }
  return *std::move(sum);
}

}  // namespace dpm::cli
