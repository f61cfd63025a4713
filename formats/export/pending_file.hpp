// A result that appears under its name only when it is complete: it is written beside it, and renamed at the end. What exists
// is not overwritten, unless that was asked for; an unfinished result is removed.
#pragma once

#include <string>

#include "model/result.hpp"

namespace dpm {

enum class Existing : bool { refused, replaced };

class PendingFile {
 public:
  // Refuses a name that exists already, before anything is written.
  static Result<PendingFile> create(const std::string& path, Existing existing);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();

  const std::string& path() const { return pending_; }  // where to write; does not exist yet

  // Gives the result its name.
  Result<void> finish();

 private:
  PendingFile(std::string path, Existing existing);

  std::string path_, pending_;  // empty: done
  Existing existing_;
};

}  // namespace dpm
