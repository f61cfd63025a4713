#include "backends/linux/custody/acquire/take_program.hpp"

#include "backends/linux/custody/keeper/keeper.hpp"
#include "backends/linux/custody/keeper/rescue.hpp"

namespace dpm {

Result<MeteredProgram> take_program(std::uint32_t pid, const AcquireOptions& options) {
  switch (custody_of(pid)) {
    case Custody::kept:
      return take_over(pid);
    case Custody::abandoned:
      return rescue(pid);
    case Custody::none:
      break;
  }
  return acquire(pid, options);  // with a keeper
}

}  // namespace dpm
