// A controller's requests about files, with the rights of its user: find a file, write one, read a filter's log.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "control/protocol/control_message.hpp"
#include "control/protocol/sha256.hpp"
#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

// Reads a file to its end in steps, so that a large one keeps nothing else waiting.
class FileSearch {
 public:
  explicit FileSearch(const std::string& path);
  // The answer, or null if it has to be called again.
  std::unique_ptr<control::ReplyBody> step();

 private:
  std::string path_;
  UniqueFd file_;
  control::FileFound found_;
  Sha256 sha256_;
  std::string refusal_;
};

// The files that one controller is sending. Each is written beside its destination and renamed when it is complete. When
// the controller goes, incomplete files are removed.
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
    std::string unfinished;  // its name until it is complete
    std::uint64_t size_bytes = 0;
  };

  Result<void> begin(const std::string& path);
  Result<void> append(Upload& upload, const std::string& path, const control::PutFile& piece);
  void abandon(const std::string& path);

  std::map<std::string, Upload> uploads_;  // by path
};

// `log` is a directory or a file.
Result<control::ReplyBody> list_log_files(const std::string& log);
Result<control::ReplyBody> read_log(const std::string& log, const control::GetLog& request);
Result<control::ReplyBody> look_at_log(const std::string& log);

}  // namespace dpm
