// Files that a controller asks a daemon for, with the rights of their user and no others: is there such a file, put one
// there, the files of a filter's log.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backends/linux/remote/protocol/control_message.hpp"
#include "backends/linux/remote/protocol/sha256.hpp"
#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

// Reads a file to its end in steps, so that nobody waits for a large one.
class FileSearch {
 public:
  explicit FileSearch(const std::string& path);
  // The answer, or nothing as long as it has to be called again.
  std::unique_ptr<control::ReplyBody> step();

 private:
  std::string path_;
  UniqueFd file_;
  control::FileFound found_;
  Sha256 sha256_;
  std::string refusal_;
};

// The files that one controller is sending. Each is written beside its place, and renamed when it is whole; those that
// are not when the controller goes are removed.
class FileUploads {
 public:
  static constexpr std::size_t kUploadsMax = 16;

  FileUploads() = default;
  FileUploads(const FileUploads&) = delete;
  FileUploads& operator=(const FileUploads&) = delete;
  ~FileUploads();

  Result<void> put(const control::PutFile& piece);

 private:
  struct Upload {
    UniqueFd file;
    std::string unfinished;  // its name while it is not whole
    std::uint64_t size_bytes = 0;
  };

  Result<void> begin(const std::string& path);
  Result<void> append(Upload& upload, const std::string& path, const control::PutFile& piece);
  void abandon(const std::string& path);

  std::map<std::string, Upload> uploads_;  // by path
};

// `log` is a directory or a file.
Result<control::ReplyBody> read_log(const std::string& log, const control::GetLog& request);

}  // namespace dpm
