// The process that performs an injection. It is detached from us, so that nothing that ends us stops it half-way; and
// when we are dead before a keeper is there, it makes one, so that the program's calls are answered.
//
//     dpm ──────────────── waits ───────── takes the listener, starts a keeper, releases
//      └ dpm-acquire ── stop, divert, install, keep, restore ── waits for the release ── ends
//                       the program: 1 ms
#pragma once

#include <optional>
#include <vector>

#include "backends/linux/capture/kernel/seccomp_program.hpp"
#include "backends/linux/custody/acquire/acquire.hpp"
#include "backends/linux/custody/acquire/target.hpp"
#include "model/result.hpp"
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
  // Once the program goes on. Nothing if the injector was killed; then nobody knows how far it came.
  std::optional<Result<Outcome>> await();
  // A keeper is there.
  void release();

 private:
  explicit Injector(UniqueFd connection) : connection_(std::move(connection)) {}
  UniqueFd connection_;
};

}  // namespace dpm
