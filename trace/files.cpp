#include "trace/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "os/user_paths.hpp"

namespace dpm {
namespace {

ssize_t write_once(int fd, std::span<const std::byte> bytes) {
  ssize_t written = -1;
  do written = ::write(fd, bytes.data(), bytes.size());
  while (written < 0 && errno == EINTR);
  return written;
}

}  // namespace

Result<void> make_private_folder(const std::string& path) {
  if (auto done = make_parent_folders(path); !done) return done.error();
  if (::mkdir(path.c_str(), 0700) == 0) return {};
  if (errno == EEXIST) return Error{path + " exists already: name a directory that does not, or remove this one"};
  return Error::from_errno("create directory " + path);
}

Result<void> append_to_file(const std::string& path, std::span<const std::byte> bytes) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return Error::from_errno("open " + path);
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t part = write_once(file.get(), bytes.subspan(written));
    if (part < 0) break;  // only the second write says why the first one was cut
    written += static_cast<std::size_t>(part);
  }
  if (written == bytes.size()) return {};
  const Error refused = Error::from_errno("write " + path);
  const off_t end = written == 0 ? 0 : ::lseek(file.get(), 0, SEEK_END);
  if (end < 0 || (written > 0 && ::ftruncate(file.get(), end - static_cast<off_t>(written)) != 0))
    return Error::from_errno("repair " + path);
  return refused;
}

Result<void> reserve_file(const std::string& path, std::size_t bytes) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return Error::from_errno("create " + path);
  const int refused = ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
  if (refused != 0) return Error{fmt::format("make room for {}: {}", path, std::strerror(refused))};
  return {};
}

namespace {

Error failed_beside(const std::string& doing, const std::string& beside) {
  const Error failed = Error::from_errno(doing + beside);
  ::unlink(beside.c_str());  // a part of it would only use space
  return failed;
}

}  // namespace

Result<void> replace_file(const std::string& path, const std::string& text) {
  return replace_file(path, text, path + ".new");
}

Result<void> replace_file(const std::string& path, const std::string& text, const std::string& beside) {
  const UniqueFd file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return Error::from_errno("create " + beside);
  auto left = std::as_bytes(std::span(text));
  while (!left.empty()) {
    const ssize_t written = write_once(file.get(), left);
    if (written <= 0) return failed_beside("write ", beside);
    left = left.subspan(static_cast<std::size_t>(written));
  }
  if (::fdatasync(file.get()) != 0) return failed_beside("sync ", beside);
  if (::rename(beside.c_str(), path.c_str()) != 0)
    return Error::from_errno(fmt::format("rename {} to {}", beside, path));
  return {};
}

Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max) {
  auto file = FileReader::open(path);
  if (!file) return file.error();
  if (file->bytes() > bytes_max)
    return Error{fmt::format("{}: {} bytes are more than such a file can have", path, file->bytes())};
  std::string text(file->bytes(), '\0');
  text.resize(file->read(std::as_writable_bytes(std::span(text))));
  return text;
}

Result<FileReader> FileReader::open(const std::string& path) {
  // O_NONBLOCK: a FIFO without a writer would be waited for.
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return Error::from_errno("open " + path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return Error::from_errno("look at " + path);
  if (!S_ISREG(status.st_mode)) return Error{fmt::format("open {}: not a file", path)};
  return FileReader(std::move(file), static_cast<std::size_t>(status.st_size));
}

bool FileReader::go_to(std::uint64_t offset) {
  offset_ = static_cast<std::size_t>(offset);
  return offset <= bytes_;
}

std::size_t FileReader::read(std::span<std::byte> into) {
  std::size_t filled = 0;
  into = into.first(std::min(into.size(), bytes_max_ - std::min(offset_, bytes_max_)));
  while (filled < into.size()) {
    const ssize_t got = ::pread(fd_.get(), into.data() + filled, into.size() - filled, static_cast<off_t>(offset_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
    offset_ += static_cast<std::size_t>(got);
  }
  return filled;
}

Result<FileReader> FileReader::again() const {
  UniqueFd same(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
  if (!same) return Error::from_errno("read a file again");
  return FileReader(std::move(same), bytes_, bytes_);
}

}  // namespace dpm
