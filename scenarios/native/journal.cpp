#include "scenarios/native/journal.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace dpm::native {
namespace {

constexpr std::size_t kTextBytesMax = 64 * 1024;

struct EntryHeader {
  EntryKind kind = EntryKind::printed;
  std::uint32_t process = 0;
  std::uint32_t text_bytes = 0;
};

}  // namespace

Result<Journal> Journal::create() {
  UniqueFd file(::memfd_create("journal", MFD_CLOEXEC));
  if (!file || ::fcntl(file.get(), F_SETFL, O_APPEND) != 0) return Error::from_errno("create the journal of the run");
  return Journal(std::move(file));
}

void Journal::append(EntryKind kind, std::uint32_t process, std::string_view text) const {
  text = text.substr(0, kTextBytesMax);
  const EntryHeader header{kind, process, static_cast<std::uint32_t>(text.size())};
  std::string entry(reinterpret_cast<const char*>(&header), sizeof header);
  entry += text;
  // One write each: the kernel appends them one after the other. In memory nothing is written by halves.
  while (::write(file_.get(), entry.data(), entry.size()) < 0 && errno == EINTR) {
  }
}

std::vector<Entry> Journal::read_new() {
  std::vector<Entry> entries;
  EntryHeader header;
  while (::pread(file_.get(), &header, sizeof header, read_bytes_) == static_cast<ssize_t>(sizeof header)) {
    std::string text(header.text_bytes, '\0');
    const auto text_at = read_bytes_ + static_cast<std::int64_t>(sizeof header);
    if (::pread(file_.get(), text.data(), text.size(), text_at) != static_cast<ssize_t>(text.size())) break;
    read_bytes_ = text_at + static_cast<std::int64_t>(text.size());
    entries.push_back({header.kind, header.process, std::move(text)});
  }
  return entries;
}

}  // namespace dpm::native
