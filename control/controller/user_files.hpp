// The user's files on the controller's machine: scripts, executables to be copied to machines, and fetched logs. No file of
// the user is overwritten or left incomplete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm::control {

inline constexpr std::size_t kScriptBytesMax = 1024 * 1024;

Result<std::vector<std::string>> read_script(const std::string& path);

bool is_ordinary_file(const std::filesystem::path& path);
bool is_executable_file(const std::filesystem::path& path);

// Calls `take` with the pieces of a file in order, each at most `piece_bytes_max` long. The last one may be empty.
Result<void> read_pieces(const std::filesystem::path& path, std::size_t piece_bytes_max,
                         const std::function<Result<void>(std::string_view piece, bool is_last)>& take);

Result<std::string> sha256_of(const std::filesystem::path& path);

// Appends to a file. A new file is readable only by the user.
class SinkFile {
 public:
  static Result<SinkFile> open(const std::string& path);
  Result<void> write(std::string_view text);
  const std::string& path() const { return path_; }

 private:
  SinkFile(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  UniqueFd fd_;
};

// The part of a disk that a fetched log leaves free. A log has any size that its machine says.
std::uint64_t bytes_left_free(std::uint64_t disk_bytes);

// A relative path that does not lead outside.
bool leads_inside(const std::filesystem::path& file);

// Appends to a file of the copy of a log, which is made with the folders above it. `file` is relative to the log, or "." for a
// log that is one file. The machine is not trusted: a name that leads outside is refused, and so is what would fill the disk.
// `place`: how the user names the copy.
Result<void> append_inside(const std::filesystem::path& log, const std::string& file, std::string_view bytes,
                           const std::filesystem::path& place);

// A log that is being fetched into a private folder beside its destination, where it appears complete or not at all. Other
// users may write into the folder of both, as in /tmp.
class FetchedLog {
 public:
  // Refused if the name exists already.
  static Result<FetchedLog> begin(const std::string& destination);
  FetchedLog(FetchedLog&& other) noexcept;
  FetchedLog& operator=(FetchedLog&&) = delete;
  ~FetchedLog();  // removes an unfinished log

  Result<void> append(const std::string& file, std::string_view bytes);
  Result<void> finish();

 private:
  FetchedLog(std::filesystem::path destination, std::filesystem::path beside)
      : destination_(std::move(destination)), beside_(std::move(beside)), log_(beside_ / "log") {}
  std::filesystem::path destination_, beside_, log_;
};

}  // namespace dpm::control
