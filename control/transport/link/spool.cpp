#include "control/transport/link/spool.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace dpm {
namespace {

// Writes as many bytes as the file takes.
std::size_t write_bytes(int file, const void* bytes, std::size_t size, std::uint64_t at) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t written =
        ::pwrite(file, static_cast<const char*>(bytes) + done, size - done, static_cast<off_t>(at + done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  return done;
}

bool read_bytes(int file, void* bytes, std::size_t size, std::uint64_t at) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(file, static_cast<char*>(bytes) + done, size - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

bool Spool::open() {
  if (file_) return true;
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  std::string path = folder_ + "/spool-XXXXXX";
  file_.reset(::mkostemp(path.data(), O_CLOEXEC));
  if (!file_) {
    problem_ = Error::from_errno("keep events in " + folder_).what;
    return false;
  }
  ::unlink(path.c_str());
  return true;
}

std::size_t Spool::write(std::uint64_t first, std::uint64_t waiting, std::span<const MeterMessage> messages) {
  if (waiting + messages.size() > capacity_) {
    messages = messages.first(static_cast<std::size_t>(capacity_ - std::min(waiting, capacity_)));
    problem_ =
        "the " + std::to_string(capacity_ * kMeterMessageBytes) + " bytes for events in " + folder_ + " are full";
  }
  if (messages.empty() || !open()) return 0;
  std::size_t done = 0;
  while (done < messages.size()) {
    const std::uint64_t slot = (first + done) % capacity_;
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(messages.size() - done, capacity_ - slot));
    const std::size_t bytes =
        write_bytes(file_.get(), messages[done].data(), piece * kMeterMessageBytes, slot * kMeterMessageBytes);
    written_ = written_ || bytes > 0;
    done += bytes / kMeterMessageBytes;
    if (bytes == piece * kMeterMessageBytes) continue;
    problem_ = Error::from_errno("keep events in " + folder_).what;
    break;
  }
  return done;
}

bool Spool::read(std::uint64_t first, std::span<MeterMessage> messages) {
  std::size_t done = 0;
  while (done < messages.size()) {
    const std::uint64_t slot = (first + done) % capacity_;
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(messages.size() - done, capacity_ - slot));
    if (!read_bytes(file_.get(), messages[done].data(), piece * kMeterMessageBytes, slot * kMeterMessageBytes))
      return false;
    done += piece;
  }
  return true;
}

void Spool::clear() {
  if (written_ && ::ftruncate(file_.get(), 0) == 0) written_ = false;
}

}  // namespace dpm
