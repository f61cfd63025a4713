#include "control/daemon/file_requests.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "control/protocol/control_codec.hpp"
#include "os/user_paths.hpp"
#include "os/whole_io.hpp"

namespace dpm {
namespace {

using namespace control;

constexpr std::size_t kStepBytes = 1024 * 1024;
constexpr const char* kWholeLog = ".";  // the log is one file

bool is_regular(int fd, std::uint64_t* size_bytes = nullptr) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if (size_bytes != nullptr) *size_bytes = static_cast<std::uint64_t>(status.st_size);
  return true;
}

}  // namespace

// ---- is there such a file?

FileSearch::FileSearch(const std::string& path)
    : path_(expand_path(path)), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (!file_) {
    if (errno != ENOENT && errno != ENOTDIR) refusal_ = Error::from_errno(fmt::format("read '{}'", path_)).what;
  } else if (!is_regular(file_.get())) {
    refusal_ = fmt::format("'{}' is not a regular file", path_);
  } else {
    found_.exists = true;
  }
}

std::unique_ptr<ReplyBody> FileSearch::step() {
  if (!refusal_.empty()) return std::make_unique<ReplyBody>(Refused{refusal_});
  if (!found_.exists) return std::make_unique<ReplyBody>(found_);
  std::string part(kStepBytes, '\0');
  const ssize_t length = ::read(file_.get(), part.data(), part.size());
  if (length < 0 && errno == EINTR) return nullptr;
  if (length < 0) return std::make_unique<ReplyBody>(Refused{Error::from_errno(fmt::format("read '{}'", path_)).what});
  if (length > 0) {
    sha256_.add({part.data(), static_cast<std::size_t>(length)});
    found_.size_bytes += static_cast<std::uint64_t>(length);
    return nullptr;
  }
  found_.sha256 = sha256_.hexadecimal();
  return std::make_unique<ReplyBody>(found_);
}

// ---- put one there

FileUploads::~FileUploads() {
  for (const auto& [path, upload] : uploads_) ::unlink(upload.unfinished.c_str());
}

Result<void> FileUploads::put(const PutFile& piece) {
  const std::string path = expand_path(piece.path);
  if (piece.offset == 0) {
    if (auto begun = begin(path); !begun) return begun;
  }
  const auto upload = uploads_.find(path);
  if (upload == uploads_.end()) return Error{fmt::format("write '{}': its first piece has not come", path)};
  auto done = append(upload->second, path, piece);
  if (!done || piece.last) abandon(path);  // after the last piece there is nothing to remove
  return done;
}

Result<void> FileUploads::begin(const std::string& path) {
  abandon(path);  // sent once more
  if (uploads_.size() == kUploadsMax)
    return Error{fmt::format("write '{}': {} files are being sent already", path, kUploadsMax)};
  const std::string folder = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
  if (auto made = make_folders(folder, 0777); !made) return made;
  std::string unfinished = path + ".dpm-XXXXXX";
  UniqueFd file(::mkostemp(unfinished.data(), O_CLOEXEC));
  if (!file) return Error::from_errno(fmt::format("write '{}'", path));
  uploads_.emplace(path, Upload{std::move(file), unfinished, 0});
  return {};
}

Result<void> FileUploads::append(Upload& upload, const std::string& path, const PutFile& piece) {
  const std::string doing = fmt::format("write '{}'", path);
  if (piece.offset != upload.size_bytes)
    return Error{
        fmt::format("{}: the piece at {} came where that at {} was due", doing, piece.offset, upload.size_bytes)};
  if (!write_all(upload.file.get(), piece.bytes)) return Error::from_errno(doing + ": write");
  upload.size_bytes += piece.bytes.size();
  if (!piece.last) return {};
  if (::fchmod(upload.file.get(), piece.mode) != 0) return Error::from_errno(doing);
  // The kernel refuses to start an executable that is open for writing.
  upload.file.reset();
  if (::rename(upload.unfinished.c_str(), path.c_str()) != 0) return Error::from_errno(doing);
  return {};
}

void FileUploads::abandon(const std::string& path) {
  const auto upload = uploads_.find(path);
  if (upload == uploads_.end()) return;
  ::unlink(upload->second.unfinished.c_str());
  uploads_.erase(upload);
}

// ---- the files of a log

namespace {

// The names of its files, in order; those that end meanwhile may be among them.
Result<std::vector<std::string>> list_log(const std::string& log) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const auto status = fs::status(log, failed);
  if (failed) return Error{fmt::format("read the log '{}': {}", log, failed.message())};
  if (fs::is_regular_file(status)) return std::vector<std::string>{kWholeLog};
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator at(log, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code gone;
    if (at->is_symlink(gone) || !at->is_regular_file(gone)) continue;
    if (files.size() == kListEntriesMax) return Error{fmt::format("the log '{}' has too many files", log)};
    files.push_back(fs::path(at->path()).lexically_relative(log).string());
  }
  if (failed) return Error{fmt::format("read the log '{}': {}", log, failed.message())};
  std::sort(files.begin(), files.end());
  return files;
}

// File systems give the number of a removed file to the next one: the time of its making tells them apart, where there is one.
std::uint64_t identity_of(const struct statx& status) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t identity = status.stx_ino * kOdd;
  if ((status.stx_mask & STATX_BTIME) != 0)
    identity ^= static_cast<std::uint64_t>(status.stx_btime.tv_sec) * 1'000'000'000 + status.stx_btime.tv_nsec;
  return identity;
}

// Opens no file outside the log, and follows no symbolic link.
Result<UniqueFd> open_below(const std::string& log, const std::string& file) {
  const std::string doing = fmt::format("read '{}' of the log '{}'", file, log);
  UniqueFd at(::open(log.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!at) return Error::from_errno(doing);
  if (file == kWholeLog) return at;
  for (std::size_t begin = 0; begin <= file.size();) {
    const std::size_t end = std::min(file.find('/', begin), file.size());
    const std::string name = file.substr(begin, end - begin);
    if (name.empty() || name == "." || name == "..") return Error{doing + ": no such file in it"};
    at.reset(::openat(at.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    if (!at) return Error::from_errno(doing);
    begin = end + 1;
  }
  return at;
}

}  // namespace

Result<ReplyBody> list_log_files(const std::string& log) {
  auto files = list_log(log);
  if (!files) return files.error();
  return ReplyBody(LogFiles{*std::move(files)});
}

Result<ReplyBody> read_log(const std::string& log, const GetLog& request) {
  auto file = open_below(log, request.file);
  if (!file) return file.error();
  std::uint64_t size_bytes = 0;
  if (!is_regular(file->get(), &size_bytes))
    return Error{fmt::format("'{}' of the log '{}' is not a regular file", request.file, log)};
  LogPiece piece;
  piece.bytes.resize(request.bytes_max == 0 ? kChunkBytesMax : request.bytes_max);
  const ssize_t length =
      ::pread(file->get(), piece.bytes.data(), piece.bytes.size(), static_cast<off_t>(request.offset));
  if (length < 0) return Error::from_errno(fmt::format("read '{}' of the log '{}'", request.file, log));
  piece.bytes.resize(static_cast<std::size_t>(length));
  piece.last = request.offset + piece.bytes.size() >= size_bytes;
  struct statx status {};
  if (::statx(file->get(), "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &status) == 0)
    piece.identity = identity_of(status);
  return ReplyBody(std::move(piece));
}

Result<ReplyBody> look_at_log(const std::string& log) {
  const auto files = list_log(log);
  if (!files) return files.error();
  LogState state;
  for (const auto& file : *files) {
    struct statx status {};
    const std::string path = file == kWholeLog ? log : fmt::format("{}/{}", log, file);
    const int failed =
        ::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_SIZE | STATX_INO | STATX_BTIME, &status);
    if (failed != 0) continue;  // removed meanwhile
    state.files.push_back({file, status.stx_size, identity_of(status)});
  }
  return ReplyBody(std::move(state));
}

}  // namespace dpm
