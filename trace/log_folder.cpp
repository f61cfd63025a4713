#include "trace/log_folder.hpp"

#include <filesystem>
#include <vector>

#include "trace/files.hpp"

namespace dpm {

Result<std::optional<FileOfLog>> read_file_of_log(const std::string& directory, const std::string& name,
                                                  std::size_t bytes_max) {
  std::filesystem::path folder = std::filesystem::path(directory).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  std::vector<std::filesystem::path> places = {folder / name};
  if (folder.filename() == "trace") places.push_back(folder.parent_path() / name);
  for (const auto& place : places) {
    std::error_code ignored;
    if (!std::filesystem::exists(place, ignored)) continue;
    auto text = read_text_file(place.string(), bytes_max);
    if (!text) return text.error();
    return std::optional(FileOfLog{place.string(), *std::move(text)});
  }
  return std::optional<FileOfLog>();
}

}  // namespace dpm
