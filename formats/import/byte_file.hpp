// The bytes of a recording, from a file that may be compressed (gzip, xz, zstd), in bounded memory. Several compressed streams after each
// other are one recording, as the tools that append to such files leave them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace dpm {

class ByteFile {
 public:
  // Refuses a folder.
  static Result<ByteFile> open(const std::string& path);
  ByteFile(ByteFile&&) noexcept;
  ByteFile& operator=(ByteFile&&) noexcept;
  ~ByteFile();

  // As many bytes as `room` has, fewer only at the end.
  std::size_t read(char* bytes, std::size_t room);

  std::string_view compression() const;  // "gzip", "xz", "zstd"; empty: none
  bool is_cut() const;  // the compressed bytes end in the middle, or are damaged: what was before was read

  // From the beginning again; a pipe cannot.
  Result<void> rewind();
  Result<void> status() const;  // an error of reading

 private:
  struct State;
  explicit ByteFile(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace dpm
