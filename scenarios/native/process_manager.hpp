// The process manager of a native run, which is a part of its launcher: it knows the state of each process, and carries
// out what processes ask of it.
//
//   create    nothing yet but a link for the creator; what is sent to the process waits at its socket
//   start     an operating system process
//   stop      SIGSTOP; resume: SIGCONT. A process does not see them, and the time for which it is stopped counts
//   destroy   SIGTERM, at which a process of the run writes its counts and ends at once
//   migrate   another core, where each machine is one; otherwise only the name of its machine changes
//   flags     nothing: a native run knows no meters
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scenarios/native/children.hpp"
#include "scenarios/native/manager_requests.hpp"
#include "scenarios/native/manager_socket.hpp"

namespace dpm::native {

class ProcessManager {
 public:
  // `cores`: of machines; empty unless each is a core. All outlive this.
  ProcessManager(const Scenario& scenario, const std::map<std::string, int>& cores, Children& children);

  // The run waits for these.
  std::size_t not_ended() const { return not_ended_; }
  const Managed& state(std::uint32_t process) const { return processes_[process]; }
  void has_ended(std::uint32_t process, Life how = Life::ended);

  // Answers what has come over `socket`. `start` makes the operating system process of one that was created.
  void serve(ManagerSocket& socket, const std::function<Result<void>(std::uint32_t)>& start);

 private:
  using Answer = Result<std::optional<Link>>;
  using Start = std::function<Result<void>(std::uint32_t)>;

  Answer carry_out(const ManagerRequest& request, std::uint32_t requester, const Start& start);
  Answer create(std::uint32_t process);
  Answer migrate(std::uint32_t process, const std::string& machine);

  const Scenario& scenario_;
  const std::map<std::string, int>& cores_;
  Children& children_;
  std::vector<Managed> processes_;
  ManagerRequests requests_;
  std::size_t not_ended_ = 0;
};

}  // namespace dpm::native
