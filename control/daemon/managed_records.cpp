#include "control/daemon/managed_records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string_view>

#include "control/daemon/daemon_log.hpp"
#include "control/protocol/control_codec.hpp"
#include "os/kernel/process_files.hpp"
#include "os/machine.hpp"
#include "os/whole_io.hpp"

namespace dpm {
namespace {

using namespace control;

// "BOOT TICKS\n", when the process began; then the facts, as a daemon sends them to a controller.
struct Record {
  std::string boot;
  std::uint64_t beginning_ns = 0;
  ManagedProcess facts;
};

std::optional<Record> record_from(const std::string& text) {
  const auto end = text.find('\n');
  if (end == std::string::npos) return std::nullopt;
  Record record;
  std::istringstream words(text.substr(0, end));
  if (!(words >> record.boot >> record.beginning_ns)) return std::nullopt;
  FrameReader reader;
  reader.feed(std::string_view(text).substr(end + 1));
  const auto frame = reader.next();
  if (!frame || !*frame) return std::nullopt;
  auto message = decode_message(**frame);
  auto* reply = message ? std::get_if<Reply>(&*message) : nullptr;
  auto* list = reply == nullptr ? nullptr : std::get_if<ManagedList>(&reply->body);
  if (list == nullptr || list->processes.size() != 1) return std::nullopt;
  record.facts = std::move(list->processes.front());
  return record;
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char digit) { return std::isdigit(digit) != 0; });
}

}  // namespace

ManagedRecords::ManagedRecords(const std::vector<SocketFolder>& folders, const std::string& machine)
    : folders_(folders), prefix_(fmt::format("record@{}@", machine)) {}

void ManagedRecords::write(const ManagedProcess& facts) const {
  ManagedProcess known = facts;
  if (!known.filter.secret.empty()) known.filter.secret.assign(known.filter.secret.size(), '0');
  std::string bytes = fmt::format("{} {}\n", boot_identity(), read_beginning_ns(facts.pid, facts.pid));
  const std::string name = prefix_ + std::to_string(facts.pid), unfinished = ".new-" + name;
  const int folder = folders_.front().fd();
  auto written = append_message(bytes, Reply{0, ManagedList{{known}}});
  if (written) {
    const UniqueFd file(
        ::openat(folder, unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file || !write_all(file.get(), bytes)) written = Error::from_errno("make a file");
    if (written && ::renameat(folder, unfinished.c_str(), folder, name.c_str()) != 0)
      written = Error::from_errno("rename a file");
  }
  if (!written) log_line(fmt::format("cannot record process {}: {}", facts.pid, written.error().what));
}

void ManagedRecords::remove(std::uint32_t pid) const {
  for (const auto& folder : folders_) folder.remove(prefix_ + std::to_string(pid));
}

std::vector<ManagedRecords::Left> ManagedRecords::read() const {
  std::vector<Left> all;
  for (const auto& folder : folders_) {
    for (const auto& name : folder.names(prefix_)) {
      // The name of another machine may begin with ours and an '@'.
      if (!is_number(std::string_view(name).substr(prefix_.size()))) continue;
      if (auto left = read_in(folder, name)) {
        all.push_back(*std::move(left));
      } else {
        folder.remove(name);
      }
    }
  }
  return all;
}

std::optional<ManagedRecords::Left> ManagedRecords::read_in(const SocketFolder& folder, const std::string& name) {
  const UniqueFd file(::openat(folder.fd(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status = {};
  // The folder may have been open to other users for a while.
  const bool is_ours =
      file && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
  auto record = is_ours ? record_from(read_to_end(file.get())) : std::nullopt;
  if (!record || record->boot != boot_identity()) return std::nullopt;
  const std::uint32_t pid = record->facts.pid;
  const bool goes_on = record->beginning_ns != 0 && read_beginning_ns(pid, pid) == record->beginning_ns;
  return Left{std::move(record->facts), goes_on};
}

}  // namespace dpm
