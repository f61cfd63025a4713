// The process that performs an injection. It is detached from us, so that it completes its work even if we are killed. If
// we die before there is a keeper, it starts one, so that the program's calls are answered.
//
//     dpm ──────────────── waits ───────── takes the listener, starts a keeper, releases
//      └ dpm-acquire ── stop, divert, install, keep, restore ── waits for the release ── ends
//                       the program: 1 ms
#pragma once

#include <optional>
#include <vector>

#include "backends/linux/custody/acquire/acquire.hpp"
#include "backends/linux/custody/acquire/target.hpp"
#include "model/result.hpp"
#include "os/kernel/seccomp_program.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class Injector {
 public:
  static Result<Injector> start(const AcquireTarget& target, const std::vector<SeccompInstruction>& filter,
                                const AcquireOptions& options);

  struct Outcome {
    UniqueFd listener;
    bool privileges_given_up = false;
  };
  // Returns when the program goes on. Nothing if the injector was killed, at an unknown step.
  std::optional<Result<Outcome>> await();
  // Tells it that there is a keeper.
  void release();

 private:
  explicit Injector(UniqueFd connection) : connection_(std::move(connection)) {}
  UniqueFd connection_;
};

}  // namespace dpm
