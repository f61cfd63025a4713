#include "filter/filter_status.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace dpm {

FilterStatus::FilterStatus() {
  const char* named = std::getenv(kFilterStatusVariable);
  if (named == nullptr) return;
  const std::string_view word = named;
  int fd = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), fd);
  if (error != std::errc() || end != word.data() + word.size() || fd <= STDERR_FILENO) return;
  if (::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0) collector_.reset(fd);
  ::unsetenv(kFilterStatusVariable);
}

bool FilterStatus::report(const TraceWriter& writer, std::uint64_t filtered) {
  report({writer.problem(), writer.refused(), filtered});
  return writer.problem().empty();
}

void FilterStatus::report(const FilterAccount& account) {
  if (!collector_ || account == reported_) return;
  const std::string line = to_line(account);
  const ssize_t sent = ::send(collector_.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == static_cast<ssize_t>(line.size())) reported_ = account;
}

}  // namespace dpm
