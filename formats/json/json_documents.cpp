#include "formats/json/json_documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace dpm {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Goes through a document as its bytes come.
struct Nesting {
  int depth = 0;
  bool in_string = false, escaped = false;

  // Behind the byte that ends the document, or `end`.
  std::size_t go(const char* text, std::size_t at, std::size_t end) {
    while (at < end) {
      const char c = text[at++];
      if (in_string) {
        if (escaped)
          escaped = false;
        else if (c == '\\')
          escaped = true;
        else if (c == '"')
          in_string = false;
        continue;
      }
      switch (c) {
        case '"':
          in_string = true;
          break;
        case '{':
        case '[':
          ++depth;
          break;
        case '}':
        case ']':
          if (--depth == 0) return at;
          break;
        default:
          break;
      }
    }
    return end;
  }
};

}  // namespace

std::string completed_json(std::string_view cut) {
  // Where a value inside a list ended last, and what is open there. An object that is cut is dropped as a whole, unless it holds a list.
  std::string open, open_there;
  std::size_t end = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < cut.size(); ++at) {
    const char c = cut[at];
    if (in_string) {
      if (c == '\\')
        ++at;
      else if (c == '"')
        in_string = false;
      continue;
    }
    if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      open += c;
      if (c == '[') end = at + 1, open_there = open;
    } else if (c == '}' || c == ']') {
      if (open.empty()) break;
      open.pop_back();
      if (open.empty() || open.back() == '[' || c == ']') end = at + 1, open_there = open;
    }
  }
  std::string whole(cut.substr(0, end));
  for (auto bracket = open_there.rbegin(); bracket != open_there.rend(); ++bracket)
    whole += *bracket == '{' ? '}' : ']';
  return whole;
}

Result<JsonDocuments> JsonDocuments::open(const std::string& path) {
  auto file = ByteFile::open(path);
  if (!file) return file.error();
  return JsonDocuments(*std::move(file));
}

// More bytes behind those that are there; what was passed on is dropped.
bool JsonDocuments::fill() {
  if (at_ > 0) {
    lines_counted_ += static_cast<std::uint64_t>(std::count(buffer_.data() + counted_to_, buffer_.data() + at_, '\n'));
    std::memmove(buffer_.data(), buffer_.data() + at_, size_ - at_);
    size_ -= at_;
    at_ = counted_to_ = 0;
  }
  const std::size_t more = std::max(kBlock, size_);  // so that a large document is copied a few times only
  if (buffer_.size() < size_ + more + kPadding) buffer_.resize(size_ + more + kPadding);
  const std::size_t got = file_.read(buffer_.data() + size_, more);
  size_ += got;
  return got > 0;
}

std::optional<std::string_view> JsonDocuments::next() {
  if (too_large_) return std::nullopt;
  for (;; ++at_) {
    if (at_ == size_ && !fill()) return std::nullopt;
    const char c = buffer_[at_];
    if (c == '{' || c == '[') break;
    if (!is_blank(c) && c != ',' && static_cast<unsigned char>(c) < 0x80)
      ++foreign_bytes_;  // a byte-order mark is not text
  }
  lines_counted_ += static_cast<std::uint64_t>(std::count(buffer_.data() + counted_to_, buffer_.data() + at_, '\n'));
  counted_to_ = at_;
  line_ = lines_counted_;
  Nesting nesting;
  std::size_t end = at_;
  for (;;) {
    const std::size_t begin = end;
    end = nesting.go(buffer_.data(), begin, size_);
    if (nesting.depth == 0 && !nesting.in_string) break;
    const std::size_t length = end - at_;
    too_large_ = length > kDocumentMax;
    if (too_large_) return std::nullopt;
    if (fill()) {
      end = length;  // it begins at the buffer's begin now
      continue;
    }
    is_cut_ = true;
    completed_ = completed_json({buffer_.data() + at_, size_ - at_});
    at_ = size_;
    if (completed_.empty()) return std::nullopt;
    const std::size_t size = completed_.size();
    completed_.resize(size + kPadding);
    return std::string_view(completed_.data(), size);
  }
  const std::string_view document(buffer_.data() + at_, end - at_);
  at_ = end;
  return document;
}

Result<void> JsonDocuments::status() const {
  if (too_large_)
    return Error{fmt::format("a JSON document of more than {} MB: it must be divided", kDocumentMax >> 20)};
  return file_.status();
}

}  // namespace dpm
