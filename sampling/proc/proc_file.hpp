// A file of /proc that is read again and again. It stays open, and is read with pread: half the cost of opening it each
// time (bench/sampling.cpp). Its descriptor belongs to one process, and never to a later one with the same number: after the end
// each read fails.
#pragma once

#include <string>
#include <string_view>

#include "os/unique_fd.hpp"

namespace dpm::sampling {

enum class ReadOutcome : std::uint8_t { done, ended, refused };

class ProcFile {
 public:
  // Without `stays_open` each read opens it, for systems with more threads than we may have descriptors.
  ProcFile(std::string path, bool stays_open) : path_(std::move(path)), stays_open_(stays_open) {}

  // `text` is valid until the next read of any ProcFile with this buffer.
  ReadOutcome read(std::string& buffer, std::string_view& text);

 private:
  std::string path_;
  UniqueFd fd_;
  bool stays_open_;
};

}  // namespace dpm::sampling
