#include "backends/linux/custody/keeper/keeper.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "backends/linux/custody/keeper/keeper_process.hpp"
#include "os/process_handle.hpp"

namespace dpm {
namespace {

std::string describe(const KeptProgram& program) { return fmt::format("{} ({})", program.pid, program.command); }

struct Answer {
  KeeperReply reply;
  std::vector<UniqueFd> descriptors;
};

Result<Answer> ask_keeper(const KeptProgram& program, KeeperRequest::Kind kind, std::span<const int> descriptors) {
  const std::string doing =
      "ask the keeper (process " + std::to_string(program.keeper_pid) + ") of " + describe(program);
  const UniqueFd keeper = connect_to_keeper(program);
  KeeperRequest request;
  request.kind = kind;
  if (!keeper || !send_message(keeper.get(), request, descriptors)) return Error{doing + ": it has just ended"};
  auto packet = receive_packet(keeper.get());
  if (!packet) return Error{doing + ": it does not answer"};
  const auto reply = message_in<KeeperReply>(*packet);
  if (!reply) return Error{doing + ": its answer cannot be understood: was it started by another version of dpm?"};
  return Answer{*reply, std::move(packet->descriptors)};
}

Error refusal(const KeptProgram& program, const KeeperReply& reply) {
  if (reply.meter_pid == 0) return Error{fmt::format("the keeper of {} refuses to hand it over", describe(program))};
  return Error{fmt::format("program {} is already metered by process {}", describe(program), reply.meter_pid)};
}

}  // namespace

Result<void> start_keeper(const MeteredProgram& program, std::vector<UniqueFd> outputs) {
  const auto self = static_cast<std::uint32_t>(::getpid());
  UniqueFd meter = open_process(self);
  if (!meter) return Error::from_errno("open a descriptor of this process, for the keeper to watch");
  return spawn_keeper(program, {self, std::move(meter), false, std::move(outputs)});
}

Result<MeteredProgram> take_over(std::uint32_t pid) {
  const auto program = find_kept_program(pid);
  if (!program) return not_kept(pid);
  return take_over(*program);
}

Result<MeteredProgram> take_over(const KeptProgram& program) {
  const UniqueFd self = open_process(static_cast<std::uint32_t>(::getpid()));
  if (!self) return Error::from_errno("open a descriptor of this process, for the keeper to watch");
  const std::array<int, 1> watched = {self.get()};
  auto answer = ask_keeper(program, KeeperRequest::Kind::take_over, watched);
  if (!answer) return answer.error();
  if (answer->reply.granted == 0 || answer->descriptors.size() != 2) return refusal(program, answer->reply);

  auto slots = NotificationSlots::share(std::move(answer->descriptors[1]));
  if (!slots) {
    const auto left = ask_keeper(program, KeeperRequest::Kind::answer, {});
    return left ? slots.error() : Error{fmt::format("{}; and {}", slots.error().what, left.error().what)};
  }
  return MeteredProgram{.pid = program.pid,
                        .command = program.command,
                        .from_start = false,
                        .exact_paths = program.exact_paths,
                        .privileges_given_up = program.privileges_given_up,
                        .listener = std::move(answer->descriptors[0]),
                        .slots = *std::move(slots)};
}

Result<void> leave_to_keeper(const MeteredProgram& program) {
  const auto self = static_cast<std::uint32_t>(::getpid());
  for (const auto& kept : kept_programs(program.pid)) {
    if (kept.pid != program.pid || kept.meter_pid != self) continue;
    const auto answer = ask_keeper(kept, KeeperRequest::Kind::answer, {});
    if (!answer) return answer.error();
    if (answer->reply.granted == 0) return refusal(kept, answer->reply);
    return {};
  }
  return Error{
      fmt::format("no keeper holds program {} for this meter: either it has ended, or this meter must answer its calls",
                  program.pid)};
}

}  // namespace dpm
