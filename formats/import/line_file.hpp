// A text file line by line, in bounded memory whatever it contains.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace dpm {

class LineFile {
 public:
  static constexpr std::size_t kLineMax = std::size_t{1} << 20;

  static Result<LineFile> open(const std::string& path);

  // The next line without its end; false at the end of the file. Of a line longer than kLineMax only the beginning.
  bool next(std::string_view& line);
  std::uint64_t number() const { return number_; }  // of the last line, from 1
  bool is_cut() const { return cut_; }              // the last line was too long

  // All that has not been read yet; false if that is more than `bytes_max`.
  bool read_all(std::string& text, std::size_t bytes_max);

  Result<void> rewind();
  Result<void> status() const;  // an error of reading

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  bool fill();

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::string line_;
  std::uint64_t number_ = 0;
  bool cut_ = false, failed_ = false;
};

}  // namespace dpm
