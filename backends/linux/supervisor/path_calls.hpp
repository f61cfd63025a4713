// The calls that make, duplicate and close paths, which are notified with --exact-paths only.
#pragma once

#include "backends/linux/supervisor/call_inspector.hpp"
#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

class PathCalls {
 public:
  PathCalls(Shared& shared, CallInspector& inspector) : shared_(shared), inspector_(inspector) {}

  void change_path(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);

 private:
  Shared& shared_;
  CallInspector& inspector_;
};

}  // namespace dpm
