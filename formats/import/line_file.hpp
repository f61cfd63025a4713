// A text file line by line, in bounded memory whatever it contains. It may be compressed (byte_file.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/import/byte_file.hpp"

namespace dpm {

class LineFile {
 public:
  static constexpr std::size_t kLineMax = std::size_t{1} << 20;

  static Result<LineFile> open(const std::string& path);

  // The next line without its end (LF or CR LF), valid until the next call; false at the end of the file. Of a line longer than kLineMax only
  // the beginning. A byte-order mark is not part of the first line.
  bool next(std::string_view& line);
  std::uint64_t number() const { return number_; }  // of the last line, from 1
  bool is_cut() const { return cut_; }              // the last line was too long

  Result<void> rewind();
  Result<void> status() const { return file_.status(); }  // an error of reading
  bool file_is_cut() const { return file_.is_cut(); }     // ByteFile::is_cut()
  std::string_view compression() const { return file_.compression(); }

 private:
  explicit LineFile(ByteFile file) : file_(std::move(file)) {}

  bool fill();

  ByteFile file_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::string line_;  // one that goes over the end of the buffer
  std::uint64_t number_ = 0;
  bool cut_ = false;
};

}  // namespace dpm
