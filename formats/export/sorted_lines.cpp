#include "formats/export/sorted_lines.hpp"

#include <unistd.h>

#include <algorithm>
#include <queue>

namespace dpm {
namespace {

constexpr const char* kDoing = "sort lines in a temporary file (TMPDIR says where)";

std::FILE* unnamed_file() {
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/dpm-sort-XXXXXX";
  const int fd = mkstemp(path.data());
  if (fd < 0) return nullptr;
  unlink(path.c_str());
  return fdopen(fd, "w+");
}

}  // namespace

// One run, a buffer at a time.
class SortedLines::RunReader {
 public:
  RunReader(int fd, Run run) : fd_(fd), at_(run.begin), end_(run.end) {}

  // False at the end, or where the file cannot be read.
  bool next() {
    Head head;
    if (!read(reinterpret_cast<char*>(&head), sizeof head)) return false;
    time_ns = head.time_ns;
    line.resize(head.length);
    return read(line.data(), head.length);
  }
  bool failed() const { return failed_; }

  std::int64_t time_ns = 0;
  std::string line;

 private:
  bool read(char* to, std::size_t length) {
    while (length > 0) {
      if (used_ == buffer_.size() && !fill()) return false;
      const std::size_t now = std::min(length, buffer_.size() - used_);
      std::copy_n(buffer_.data() + used_, now, to);
      used_ += now, to += now, length -= now;
    }
    return true;
  }
  bool fill() {
    const auto wanted = static_cast<std::size_t>(std::min<long>(1 << 16, end_ - at_));
    buffer_.resize(wanted);
    used_ = 0;
    if (wanted == 0) return false;
    const ssize_t got = pread(fd_, buffer_.data(), wanted, at_);
    failed_ = got <= 0;
    buffer_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    at_ += static_cast<long>(buffer_.size());
    return !failed_;
  }

  int fd_;
  long at_, end_;
  std::string buffer_;
  std::size_t used_ = 0;
  bool failed_ = false;
};

void SortedLines::add(std::int64_t time_ns, std::string_view line) {
  lines_.push_back({time_ns, text_.size(), static_cast<std::uint32_t>(line.size())});
  text_ += line;
  if (text_.size() + lines_.size() * sizeof(Line) > memory_bytes_) spill();
}

void SortedLines::sort() {
  std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) { return a.time_ns < b.time_ns; });
}

void SortedLines::spill() {
  sort();
  if (status_ && file_ == nullptr) {
    file_.reset(unnamed_file());
    if (file_ == nullptr) status_ = Error::from_errno(kDoing);
  }
  if (status_) {
    Run run{std::ftell(file_.get()), 0};
    for (const Line& line : lines_) {
      const Head head{line.time_ns, line.length};
      if (std::fwrite(&head, sizeof head, 1, file_.get()) != 1 ||
          std::fwrite(text_.data() + line.at, 1, line.length, file_.get()) != line.length) {
        status_ = Error::from_errno(kDoing);
        break;
      }
    }
    run.end = std::ftell(file_.get());
    runs_.push_back(run);
  }
  lines_.clear();
  text_.clear();
}

Result<void> SortedLines::take(const std::function<void(std::string_view line)>& take) {
  if (runs_.empty() && status_) {
    sort();
    for (const Line& line : lines_) take(std::string_view(text_).substr(line.at, line.length));
    return {};
  }
  spill();
  if (status_ && std::fflush(file_.get()) != 0) status_ = Error::from_errno(kDoing);
  if (!status_) return status_;
  std::vector<RunReader> readers;
  for (const Run& run : runs_) readers.emplace_back(fileno(file_.get()), run);
  using Next = std::pair<std::int64_t, std::size_t>;  // of equal times, the earlier run first
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  const auto advance = [&](std::size_t r) {
    if (readers[r].next())
      next.emplace(readers[r].time_ns, r);
    else if (readers[r].failed())
      status_ = Error{std::string(kDoing) + ": it cannot be read back"};
  };
  for (std::size_t r = 0; r < readers.size(); ++r) advance(r);
  while (!next.empty()) {
    const std::size_t r = next.top().second;
    next.pop();
    take(readers[r].line);
    advance(r);
  }
  return status_;
}

}  // namespace dpm
