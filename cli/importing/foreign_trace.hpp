// The trace that a command was given. A recording of another tool becomes one in a temporary folder, which is removed at the end.
#pragma once

#include <string>

#include "model/result.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

class ForeignTrace {
 public:
  // Another path stays as it is. Refuses a recording that is not read.
  static Result<ForeignTrace> open(const std::string& path, Terminal& terminal);
  ForeignTrace(ForeignTrace&& other) noexcept;
  ForeignTrace& operator=(ForeignTrace&&) = delete;
  ~ForeignTrace();

  const std::string& directory() const { return directory_; }
  // The temporary folder, before the program is left without its end.
  void remove();

 private:
  ForeignTrace(std::string directory, std::string temporary)
      : directory_(std::move(directory)), temporary_(std::move(temporary)) {}

  std::string directory_, temporary_;
};

}  // namespace dpm::cli
