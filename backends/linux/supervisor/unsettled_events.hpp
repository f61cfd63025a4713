// Finishes events whose length no later call has shown: looks at the stream once more, or assumes the probable length.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/linux/supervisor/call_inspector.hpp"
#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

class UnsettledEvents {
 public:
  UnsettledEvents(Shared& shared, CallInspector& inspector) : shared_(shared), inspector_(inspector) {}

  void settle_old(std::int64_t now_ns);

 private:
  // Where the stream stands, as far as the kernel tells.
  struct Offset {
    std::optional<std::uint64_t> bytes = std::nullopt;
    bool certain = true;  // otherwise it may turn out to be further on
  };
  void settle(const Meter::Unfinished& unfinished, std::int64_t now_ns);
  void settle_units(const Meter::Unfinished& unfinished, int fd, std::int64_t now_ns);
  void settle_other_end(const MeteredThread& metered, std::int64_t now_ns);
  Offset offset_of(const Meter::Unfinished& unfinished, const Socket& socket, int fd);

  Shared& shared_;
  CallInspector& inspector_;
};

}  // namespace dpm
