#include "control/transport/link/names_store.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

namespace dpm {
namespace {

bool write_whole(int file, const std::string& bytes, std::uint64_t at) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::pwrite(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

std::string read_whole(int file, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(file, bytes.data() + done, size - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace

// Texts are JSON without line ends.
bool NamesStore::write(const std::string& text) {
  if (!file_) {
    std::error_code failed;
    std::filesystem::create_directories(folder_, failed);
    std::string path = folder_ + "/names-XXXXXX";
    file_.reset(::mkostemp(path.data(), O_CLOEXEC));
    if (!file_) return false;
    ::unlink(path.c_str());
  }
  if (!write_whole(file_.get(), text + "\n", bytes_)) return false;
  bytes_ += text.size() + 1;
  return true;
}

void NamesStore::append(std::string text) {
  if (!in_memory_.empty() || !write(text)) in_memory_.push_back(std::move(text));
}

std::vector<std::string> NamesStore::take_all() {
  std::vector<std::string> texts;
  const std::string lines = bytes_ > 0 ? read_whole(file_.get(), bytes_) : std::string();
  std::size_t at = 0;
  for (std::size_t end = lines.find('\n'); end != std::string::npos; end = lines.find('\n', at)) {
    texts.push_back(lines.substr(at, end - at));
    at = end + 1;
  }
  for (auto& text : std::exchange(in_memory_, {})) texts.push_back(std::move(text));
  bytes_ = 0;
  return texts;
}

}  // namespace dpm
