// What processes tell the launcher in words: the lines they print, and why they failed. All append to one file in
// memory, so no process waits for the launcher, and a meter sees no message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm::native {

enum class EntryKind : std::uint32_t { printed = 1, failed = 2 };

struct Entry {
  EntryKind kind = EntryKind::printed;
  std::uint32_t process = 0;
  std::string text;
};

class Journal {
 public:
  static Result<Journal> create();

  // In a process. Text is cut off after 64 KB.
  void append(EntryKind kind, std::uint32_t process, std::string_view text) const;

  // In the launcher: the entries that are new since the last time.
  std::vector<Entry> read_new();

 private:
  explicit Journal(UniqueFd file) : file_(std::move(file)) {}

  UniqueFd file_;
  std::int64_t read_bytes_ = 0;
};

}  // namespace dpm::native
