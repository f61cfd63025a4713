#include "control/controller/user_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "control/protocol/sha256.hpp"
#include "os/whole_io.hpp"

namespace dpm::control {
namespace {

namespace fs = std::filesystem;

Result<UniqueFd> open_to_read(const fs::path& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // does not wait at a pipe without a writer
  if (fd.get() < 0) return Error::from_errno("read " + path.string());
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) return Error::from_errno("read " + path.string());
  if (!S_ISREG(status.st_mode)) return Error{path.string() + " is not an ordinary file"};
  return fd;
}

Result<void> write_to(const std::string& path, int fd, std::string_view bytes) {
  if (!write_all(fd, bytes)) return Error::from_errno("write " + path);
  return {};
}

Result<void> check_room(int fd, const fs::path& place, std::size_t bytes) {
  struct statvfs disk {};
  if (fstatvfs(fd, &disk) != 0) return Error::from_errno("write " + place.string());
  const std::uint64_t free_bytes = disk.f_bavail * disk.f_frsize;
  const std::uint64_t reserve_bytes = bytes_left_free(disk.f_blocks * disk.f_frsize);
  if (free_bytes >= reserve_bytes + bytes) return {};
  return Error{fmt::format("the disk of '{}' has only {} MB left", place.string(), free_bytes / 1'000'000)};
}

}  // namespace

Result<std::vector<std::string>> read_script(const std::string& path) {
  std::vector<std::string> lines;
  std::string text;
  const auto done = read_pieces(path, kScriptBytesMax, [&](std::string_view piece, bool) -> Result<void> {
    text += piece;
    if (text.size() > kScriptBytesMax)
      return Error{fmt::format("{} is longer than {} bytes: is it a script?", path, kScriptBytesMax)};
    return {};
  });
  if (!done) return done.error();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool is_ordinary_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_executable_file(const fs::path& path) { return is_ordinary_file(path) && access(path.c_str(), X_OK) == 0; }

Result<void> read_pieces(const fs::path& path, std::size_t piece_bytes_max,
                         const std::function<Result<void>(std::string_view piece, bool is_last)>& take) {
  const auto fd = open_to_read(path);
  if (!fd) return fd.error();
  std::string piece;
  for (bool is_last = false; !is_last;) {
    piece.resize(piece_bytes_max);
    std::size_t filled = 0;
    while (filled < piece.size() && !is_last) {
      const ssize_t count = read(fd->get(), piece.data() + filled, piece.size() - filled);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Error::from_errno("read " + path.string());
      is_last = count == 0;
      filled += static_cast<std::size_t>(count);
    }
    piece.resize(filled);
    if (auto done = take(piece, is_last); !done) return done;
  }
  return {};
}

Result<std::string> sha256_of(const fs::path& path) {
  constexpr std::size_t kPieceBytes = 256 * 1024;
  Sha256 digest;
  const auto done = read_pieces(path, kPieceBytes, [&](std::string_view piece, bool) -> Result<void> {
    digest.add(piece);
    return {};
  });
  if (!done) return done.error();
  return digest.hexadecimal();
}

Result<SinkFile> SinkFile::open(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!fd) return Error::from_errno("write " + path);
  return SinkFile(path, std::move(fd));
}

Result<void> SinkFile::write(std::string_view text) { return write_to(path_, fd_.get(), text); }

std::uint64_t bytes_left_free(std::uint64_t disk_bytes) {
  constexpr std::uint64_t kEnough = std::uint64_t{1} << 30, kPart = 20;
  return std::min(disk_bytes / kPart, kEnough);
}

bool leads_inside(const fs::path& file) {
  if (file.empty() || file.is_absolute()) return false;
  for (const auto& part : file)
    if (part == ".." || part.empty()) return false;
  return true;
}

Result<void> append_inside(const fs::path& log, const std::string& file, std::string_view bytes,
                           const fs::path& place) {
  fs::path path = log;
  if (file != ".") {
    if (!leads_inside(file))
      return Error{fmt::format("its machine names a file '{}' of the log, which leads elsewhere", file)};
    path /= file;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed) return Error{fmt::format("make {}: {}", path.parent_path().string(), failed.message())};
    fs::permissions(log, fs::perms::owner_all, failed);
  }
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (fd.get() < 0) return Error::from_errno("write " + path.string());
  if (auto room = check_room(fd.get(), place, bytes.size()); !room) return room;
  return write_to(path.string(), fd.get(), bytes);
}

Result<FetchedLog> FetchedLog::begin(const std::string& destination) {
  fs::path place(destination);
  if (!place.has_filename()) place = place.parent_path();  // "trace/"
  std::error_code ignored;
  if (fs::symlink_status(place, ignored).type() != fs::file_type::not_found)
    return Error{fmt::format("'{}' exists already: choose another name, or remove it", destination)};
  const auto folder = place.has_parent_path() ? place.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) return Error{fmt::format("there is no folder '{}'", folder.string())};
  std::string beside = folder / ("." + place.filename().string() + ".partial-XXXXXX");
  if (mkdtemp(beside.data()) == nullptr) return Error::from_errno("make the folder " + beside);
  return FetchedLog(place, beside);
}

FetchedLog::FetchedLog(FetchedLog&& other) noexcept
    : destination_(std::move(other.destination_)),
      beside_(std::exchange(other.beside_, {})),
      log_(std::move(other.log_)) {}

FetchedLog::~FetchedLog() {
  std::error_code ignored;
  if (!beside_.empty()) fs::remove_all(beside_, ignored);
}

Result<void> FetchedLog::append(const std::string& file, std::string_view bytes) {
  return append_inside(log_, file, bytes, destination_);
}

Result<void> FetchedLog::finish() {
  std::error_code failed;
  if (fs::symlink_status(log_, failed).type() == fs::file_type::not_found) fs::create_directory(log_, failed);
  if (renameat2(AT_FDCWD, log_.c_str(), AT_FDCWD, destination_.c_str(), RENAME_NOREPLACE) != 0 &&
      (errno != EINVAL || rename(log_.c_str(), destination_.c_str()) != 0))
    return Error::from_errno("make " + destination_.string());
  return {};
}

}  // namespace dpm::control
