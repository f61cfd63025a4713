// Text that becomes a file piece by piece. The first error stays, and what comes after it is discarded.
#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class TextOutput {
 public:
  // A new file; with an empty path, standard output.
  static Result<TextOutput> create(const std::string& path);

  template <typename... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Arguments>(arguments)...);
    if (buffer_.size() >= kFlushAt) flush();
  }
  // The same for what is printed for each event, with FMT_COMPILE: several times as fast.
  template <typename Compiled, typename... Arguments>
  void print_often(const Compiled& format, const Arguments&... arguments) {
    fmt::format_to(std::back_inserter(buffer_), format, arguments...);
    if (buffer_.size() >= kFlushAt) flush();
  }
  void write(std::string_view text) {
    buffer_.append(text.data(), text.data() + text.size());
    if (buffer_.size() >= kFlushAt) flush();
  }

  // Writes what waits, and closes the file.
  Result<void> close();

 private:
  static constexpr std::size_t kFlushAt = std::size_t{1} << 18;

  void flush();

  std::string path_;
  UniqueFd file_;
  fmt::memory_buffer buffer_;
  Result<void> status_;
};

}  // namespace dpm
