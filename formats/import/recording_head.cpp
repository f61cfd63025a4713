#include "formats/import/recording_head.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>

#include "formats/import/byte_file.hpp"

namespace dpm {
namespace {

constexpr std::size_t kFilesMax = 10'000;
constexpr std::size_t kDepthMax = 4, kMembersMax = 500;

// Goes through JSON that may be cut, and collects the names of members with their paths.
class MemberScan {
 public:
  explicit MemberScan(std::string_view text) : text_(text) {}

  std::vector<std::string> all() {
    skip_blanks();
    // Values that follow each other, one on each line, are all looked at.
    while (at_ < text_.size() && (text_[at_] == '{' || text_[at_] == '[') && value("", 0)) skip_blanks();
    return {found_.begin(), found_.end()};
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == ','))
      ++at_;
  }

  // Behind the first quote; false: the text ends before the last.
  bool string(std::string& text) {
    const std::size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    if (at_ >= text_.size()) return false;
    text = text_.substr(begin, at_ - begin);
    ++at_;
    return true;
  }

  // False: the text ends, or is not JSON.
  bool value(const std::string& path, std::size_t depth) {
    skip_blanks();
    if (at_ >= text_.size() || depth > kDeepest) return false;
    std::string ignored;
    const char first = text_[at_];
    if (first == '"') return ++at_, string(ignored);
    if (first == '{' || first == '[') {
      ++at_;
      return first == '{' ? object(path, depth) : list(path + "[]", depth);
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '}' && text_[at_] != ']' && text_[at_] != '\n' &&
           text_[at_] != ' ')
      ++at_;
    return at_ > begin && at_ < text_.size();
  }

  bool object(const std::string& path, std::size_t depth) {
    for (;;) {
      skip_blanks();
      if (at_ >= text_.size()) return false;
      if (text_[at_] == '}') return ++at_, true;
      std::string name;
      if (text_[at_] != '"' || (++at_, !string(name))) return false;
      const std::string inside = path.empty() ? name : path + "." + name;
      if (depth < kDepthMax && found_.size() < kMembersMax) found_.insert(inside);
      skip_blanks();
      if (at_ >= text_.size() || text_[at_] != ':') return false;
      ++at_;
      if (!value(inside, depth + 1)) return false;
    }
  }

  bool list(const std::string& path, std::size_t depth) {
    for (;;) {
      skip_blanks();
      if (at_ >= text_.size()) return false;
      if (text_[at_] == ']') return ++at_, true;
      if (!value(path, depth)) return false;
    }
  }

  static constexpr std::size_t kDeepest = 100;

  std::string_view text_;
  std::size_t at_ = 0;
  std::set<std::string> found_;
};

}  // namespace

bool RecordingHead::has(std::string_view member) const {
  return std::find(members.begin(), members.end(), member) != members.end();
}

Result<RecordingHead> look_at(const std::string& path) {
  RecordingHead recording;
  recording.path = path;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    recording.is_folder = true;
    for (auto entry = std::filesystem::directory_iterator(path, error);
         !error && entry != std::filesystem::directory_iterator() && recording.files.size() < kFilesMax;
         entry.increment(error))
      recording.files.push_back(entry->path().filename().string());
    if (error) return Error{"read " + path + ": " + error.message()};
    std::sort(recording.files.begin(), recording.files.end());
    return recording;
  }
  auto file = ByteFile::open(path);
  if (!file) return file.error();
  recording.head.resize(RecordingHead::kHeadMax);
  recording.head.resize(file->read(recording.head.data(), recording.head.size()));
  if (auto done = file->status(); !done) return done.error();
  recording.is_whole = recording.head.size() < RecordingHead::kHeadMax;
  if (recording.head.starts_with("\xef\xbb\xbf")) recording.head.erase(0, 3);
  recording.members = MemberScan(recording.head).all();
  return recording;
}

}  // namespace dpm
