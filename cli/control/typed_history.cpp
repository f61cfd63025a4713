#include "cli/control/typed_history.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "os/unique_fd.hpp"

namespace dpm::cli {
namespace {

// A single write(), so that lines of several sessions do not mix.
void append(const std::string& file, const std::string& text) {
  const UniqueFd fd(open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd || write(fd.get(), text.data(), text.size()) < 0) return;
}

}  // namespace

std::vector<std::string> TypedHistory::read() const {
  std::vector<std::string> lines;
  if (file_.empty()) return lines;
  std::ifstream file(file_);
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) lines.push_back(line);
  if (lines.size() <= kLinesMax) return lines;
  const bool is_much_longer = lines.size() > 2 * kLinesMax;
  lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kLinesMax));
  if (is_much_longer) {
    const std::string beside = file_ + ".new";
    std::string text;
    for (const auto& line : lines) text += line + "\n";
    append(beside, text);
    std::rename(beside.c_str(), file_.c_str());
  }
  return lines;
}

void TypedHistory::add(const std::string& line) const {
  if (!file_.empty()) append(file_, line + "\n");
}

}  // namespace dpm::cli
