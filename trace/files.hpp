// The few file operations of a trace directory, with errors that name the operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

Result<void> make_private_folder(const std::string& path);  // mode 0700; refuses a path that exists

// Appends by one write(2), creating the file (mode 0600) if needed. If only a part could be written, it is removed
// again, so that a full disk leaves whole packets behind.
Result<void> append_to_file(const std::string& path, std::span<const std::byte> bytes);

// Replaces the file as a whole: written beside it, synced, renamed. If that fails, nothing is left beside it.
Result<void> replace_file(const std::string& path, const std::string& text);
// The same where nothing may be beside it: `beside` is on the same file system.
Result<void> replace_file(const std::string& path, const std::string& text, const std::string& beside);

// Gives the file this length, with disk space allocated; its contents do not matter.
Result<void> reserve_file(const std::string& path, std::size_t bytes);

Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max);

// A regular file, read from its beginning. What is not one (a pipe, a device) is refused, and not waited for.
class FileReader {
 public:
  static Result<FileReader> open(const std::string& path);

  // What is read next. False: there is no such place.
  bool go_to(std::uint64_t offset);
  // Fills `into` as far as the file goes; less means that it has ended, or cannot be read further.
  std::size_t read(std::span<std::byte> into);

  // Reads the same file from its beginning to where it ended when it was opened, also if it has been removed meanwhile.
  Result<FileReader> again() const;
  std::size_t bytes() const { return bytes_; }  // when it was opened

 private:
  FileReader(UniqueFd fd, std::size_t bytes, std::size_t bytes_max = SIZE_MAX)
      : fd_(std::move(fd)), bytes_(bytes), bytes_max_(bytes_max) {}
  UniqueFd fd_;
  std::size_t bytes_, bytes_max_;
  std::size_t offset_ = 0;
};

}  // namespace dpm
