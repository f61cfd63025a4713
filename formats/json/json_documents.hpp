// The JSON values of a file one by one: a document, one on each line, or several after each other in any form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/import/byte_file.hpp"

namespace dpm {

// What a cut document begins with, without the value that it ends in, and closed: JSON again. Empty: nothing of it is whole.
std::string completed_json(std::string_view cut);

class JsonDocuments {
 public:
  static constexpr std::size_t kDocumentMax = std::size_t{1} << 30;
  static constexpr std::size_t kPadding = 64;  // bytes that may be read behind a document, as simdjson does

  static Result<JsonDocuments> open(const std::string& path);

  // The next object or list; valid until the next call, with kPadding bytes behind it. None at the end, or after an error.
  std::optional<std::string_view> next();
  // The file ends in the middle of a document; next() has passed on what was whole of it.
  bool is_cut() const { return is_cut_ || file_.is_cut(); }
  std::uint64_t foreign_bytes() const { return foreign_bytes_; }  // between documents
  std::uint64_t line() const { return line_; }                    // on which the document begins, from 1

  Result<void> status() const;

 private:
  explicit JsonDocuments(ByteFile file) : file_(std::move(file)) {}

  bool fill();

  ByteFile file_;
  std::string buffer_;
  std::size_t size_ = 0, at_ = 0;  // of the buffer: what was read, and where the next document begins
  std::string completed_;
  std::uint64_t foreign_bytes_ = 0, line_ = 1, lines_counted_ = 1;
  std::size_t counted_to_ = 0;
  bool is_cut_ = false, too_large_ = false;
};

}  // namespace dpm
