// Which of the eBPF programs are loaded into a kernel. Pure: what the kernel has is asked through a function.
//
// A program sits at a hook: a tracepoint or a function of the kernel, as its section says. Kernels differ in their hooks, so some facts
// have several ways to be seen, the best first. A program that is part of no way is needed on each kernel.
//
//   fact: data that sockets send   way 1: on_sent                          tracepoint sock_send_length (Linux 6.3)
//                                  way 2: on_sent_inet, on_sent_inet6,...  functions inet_sendmsg, inet6_sendmsg, ...
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace dpm {

struct KernelHook {
  enum class Kind { tracepoint, function, other };  // other: it is not asked for by name

  std::string program;
  Kind kind = Kind::other;
  std::string place;

  bool operator==(const KernelHook&) const = default;
};

// Of a section like "tp_btf/sched_switch" or "fexit/inet_sendmsg".
KernelHook hook_of(std::string_view program, std::string_view section);

using HasHook = std::function<bool(const KernelHook&)>;

// The names of the programs to be loaded. Fails with the hooks that the kernel lacks.
Result<std::set<std::string>> choose_hooks(std::span<const KernelHook> hooks, const HasHook& kernel_has);

// Programs that tell one fact. The last way may be empty: then the fact is seen by other programs where there is no way before it.
struct HookWays {
  const char* fact;
  std::vector<std::vector<const char*>> ways;
};
const std::vector<HookWays>& hook_ways();

}  // namespace dpm
