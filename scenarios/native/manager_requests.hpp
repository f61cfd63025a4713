// What the process manager of a native run answers, decided without an operating system: which requests fit the state of
// the process that they name. The words of a refusal are those of a simulation's process manager.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/process_manager.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"

namespace dpm::native {

enum class Life { awaited, created, running, ended, destroyed };

// What the process manager knows of a process.
struct Managed {
  Life life = Life::running;
  bool is_stopped = false;
  std::string machine;
  std::string destroyed_by = {};

  bool is_gone() const { return life == Life::ended || life == Life::destroyed; }
};

struct ManagerRequest {
  ProcessRequest what = ProcessRequest::create;
  std::uint32_t process = 0;
  std::string machine = {};  // of a migration
};

class ManagerRequests {
 public:
  // `processes`: one for each of the scenario, in its order. Both outlive this.
  ManagerRequests(const Scenario& scenario, const std::vector<Managed>& processes);

  // The request in the body of a message, if it can be carried out now.
  Result<ManagerRequest> read(std::uint32_t code, std::span<const std::byte> body) const;

 private:
  Result<std::uint32_t> process_named(const std::string& name) const;
  Result<void> check_create(const Managed& process, const std::string& name, const std::string& program) const;
  Result<void> check_migration(const Managed& process, const std::string& name, const std::string& machine) const;

  const Scenario& scenario_;
  const std::vector<Managed>& processes_;
  std::map<std::string, std::uint32_t, std::less<>> number_of_;
};

}  // namespace dpm::native
