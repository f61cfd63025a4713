#include "trace/files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <utility>

namespace dpm {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

ssize_t write_once(int fd, std::span<const std::byte> bytes) {
  ssize_t written = -1;
  do written = ::write(fd, bytes.data(), bytes.size());
  while (written < 0 && errno == EINTR);
  return written;
}

}  // namespace

Result<void> make_private_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return {};
  if (errno == EEXIST) return Error{path + " exists already: name a directory that does not, or remove this one"};
  return Error::from_errno("create directory " + path);
}

Result<void> append_to_file(const std::string& path, std::span<const std::byte> bytes) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return Error::from_errno("open " + path);
  const ssize_t written = write_once(file.get(), bytes);
  if (written == static_cast<ssize_t>(bytes.size())) return {};
  if (written < 0) return Error::from_errno("write " + path);
  const off_t end = ::lseek(file.get(), 0, SEEK_END);
  if (end < 0 || ::ftruncate(file.get(), end - written) != 0) return Error::from_errno("repair " + path);
  return Error{"write " + path + ": only " + std::to_string(written) + " of " + std::to_string(bytes.size()) +
               " bytes could be written (is the disk full?)"};
}

Result<void> reserve_file(const std::string& path, std::size_t bytes) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return Error::from_errno("create " + path);
  const int refused = ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
  if (refused != 0) return Error{"make room for " + path + ": " + std::strerror(refused)};
  return {};
}

namespace {

Error failed_beside(const std::string& doing, const std::string& beside) {
  const Error failed = Error::from_errno(doing + beside);
  ::unlink(beside.c_str());  // a part of it would only take up room
  return failed;
}

}  // namespace

Result<void> replace_file(const std::string& path, const std::string& text) {
  const std::string beside = path + ".new";
  const FileDescriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return Error::from_errno("create " + beside);
  auto left = std::as_bytes(std::span(text));
  while (!left.empty()) {
    const ssize_t written = write_once(file.get(), left);
    if (written <= 0) return failed_beside("write ", beside);
    left = left.subspan(static_cast<std::size_t>(written));
  }
  if (::fdatasync(file.get()) != 0) return failed_beside("sync ", beside);
  if (::rename(beside.c_str(), path.c_str()) != 0) return Error::from_errno("rename " + beside + " to " + path);
  return {};
}

Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max) {
  auto mapped = MappedFile::open(path);
  if (!mapped) return mapped.error();
  const auto bytes = mapped->bytes();
  if (bytes.size() > bytes_max)
    return Error{path + ": " + std::to_string(bytes.size()) + " bytes are more than such a file can have"};
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return Error::from_errno("open " + path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return Error::from_errno("look at " + path);
  if (!S_ISREG(status.st_mode)) return Error{"open " + path + ": not a file"};
  if (status.st_size == 0) return MappedFile(std::span<const std::byte>());
  const auto size = static_cast<std::size_t>(status.st_size);
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED) return Error::from_errno("map " + path);
  ::madvise(memory, size, MADV_SEQUENTIAL);
  return MappedFile(std::span(static_cast<const std::byte*>(memory), size));
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace dpm
