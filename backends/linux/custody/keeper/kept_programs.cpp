#include "backends/linux/custody/keeper/kept_programs.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "backends/linux/custody/keeper/keeper_process.hpp"
#include "backends/linux/custody/keeper/meter_status.hpp"
#include "os/kernel/open_descriptors.hpp"
#include "os/kernel/process_files.hpp"

namespace dpm {
namespace {

uid_t user_of(std::uint32_t process) {
  const auto status = read_status(process);
  return status ? status->user_id : ::geteuid();
}

std::optional<KeptProgram> ask(const SocketFolder& folder, const std::string& socket_name) {
  const UniqueFd keeper = folder.connect(socket_name, SOCK_SEQPACKET);
  if (!keeper || !send_message(keeper.get(), KeeperRequest{})) return std::nullopt;
  const auto packet = receive_packet(keeper.get());
  const auto reply = packet ? message_in<KeeperReply>(*packet) : std::nullopt;
  if (!reply) return std::nullopt;
  const SocketPeer peer = peer_of(keeper.get());
  return KeptProgram{.pid = reply->pid,
                     .command = reply->command_text(),
                     .privileges_given_up = reply->privileges_given_up != 0,
                     .exact_paths = reply->exact_paths != 0,
                     .meter_pid = reply->meter_pid,
                     .keeper_pid = static_cast<std::uint32_t>(peer.pid),
                     .user = peer.user};
}

// What a meter without a keeper says of its program. A meter that is stopped does not answer.
std::optional<KeptProgram> ask_unkept(const SocketFolder& folder, const std::string& socket_name,
                                      std::uint32_t meter_pid) {
  constexpr std::string_view kRequest = "status\n", kOkAnswer = "ok ";
  const UniqueFd meter = folder.connect(socket_name, SOCK_STREAM);
  const timeval patience = {1, 0};
  if (!meter || ::setsockopt(meter.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0)
    return std::nullopt;
  if (::send(meter.get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL) < 0) return std::nullopt;
  char answer[8192];
  const ssize_t length = ::recv(meter.get(), answer, sizeof answer, 0);
  const std::string line(answer, length > 0 ? static_cast<std::size_t>(length) : 0);
  if (!line.starts_with(kOkAnswer) || !line.ends_with('\n')) return std::nullopt;
  const auto status = status_from_line(line.substr(kOkAnswer.size(), line.size() - kOkAnswer.size() - 1));
  if (!status) return std::nullopt;
  KeptProgram program;
  program.pid = status->pid;
  program.command = status->command;
  program.meter_pid = meter_pid;
  program.user = peer_of(meter.get()).user;
  return program;
}

bool is_meter_of(const std::vector<KeptProgram>& programs, std::uint32_t pid) {
  return std::any_of(programs.begin(), programs.end(), [pid](const auto& program) { return program.meter_pid == pid; });
}

std::vector<KeptProgram> ask_all(const std::vector<SocketFolder>& folders) {
  std::vector<KeptProgram> programs;
  for (const auto& folder : folders) {
    for (const auto& name : folder.names(kKeeperSockets)) {
      if (auto program = ask(folder, name)) programs.push_back(*std::move(program));
    }
  }
  for (const auto& folder : folders) {
    for (const auto& name : folder.names(kMeterSockets)) {
      const auto meter_pid =
          static_cast<std::uint32_t>(std::strtoul(name.c_str() + std::strlen(kMeterSockets), nullptr, 10));
      if (is_meter_of(programs, meter_pid)) continue;
      if (auto program = ask_unkept(folder, name, meter_pid)) programs.push_back(*std::move(program));
    }
  }
  return programs;
}

std::string socket_name_of(const KeptProgram& program) {
  return fmt::format("{}{}-{}", kKeeperSockets, program.pid, program.keeper_pid);
}

const KeptProgram* find_by_first_process(const std::vector<KeptProgram>& programs, std::uint32_t pid) {
  for (const auto& program : programs) {
    if (program.pid == pid) return &program;
  }
  return nullptr;
}

}  // namespace

std::vector<KeptProgram> kept_programs(std::uint32_t process) { return ask_all(SocketFolder::about(user_of(process))); }

std::vector<KeptProgram> all_kept_programs() { return ask_all(SocketFolder::everywhere()); }

std::optional<KeptProgram> find_program_by_listener(std::uint32_t process) {
  for (const auto& program : kept_programs(process)) {
    if (share_listener(process, program.keeper_pid)) return program;
  }
  return std::nullopt;
}

std::optional<KeptProgram> find_kept_program(std::uint32_t process) {
  auto status = read_status(process);
  // A process without a filter is a later one with the pid of one of ours.
  if (!status || status->seccomp_filters == 0) return std::nullopt;
  if (auto program = find_program_by_listener(process)) return program;
  const auto programs = kept_programs(process);
  for (; status && status->pid > 1; status = read_status(status->parent_pid)) {
    if (const auto* program = find_by_first_process(programs, status->pid)) return *program;
  }
  return std::nullopt;
}

UniqueFd connect_to_keeper(const KeptProgram& program) {
  for (const auto& folder : SocketFolder::about(program.user)) {
    UniqueFd keeper = folder.connect(socket_name_of(program), SOCK_SEQPACKET);
    if (keeper) return keeper;
  }
  return UniqueFd();
}

Error not_kept(std::uint32_t process) {
  const std::string number = std::to_string(process);
  if (!read_status(process)) return Error{"there is no process " + number};
  std::string others;
  for (const auto& program : kept_programs(process))
    others += fmt::format("{}{} ({})", others.empty() ? "; metered are: " : ", ", program.pid, program.command);
  return Error{fmt::format("process {} ({}) belongs to no metered program that dpm knows{}", number,
                           read_command_name(process, process), others)};
}

}  // namespace dpm
