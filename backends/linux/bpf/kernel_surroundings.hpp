// Whether programs can be loaded into this kernel by this account: what was found, and what follows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dpm {

struct KernelSurroundings {
  bool has_types = true;                           // the kernel's type information can be read
  bool may_make_maps = true;                       // a map that needs CAP_BPF was made
  std::uint64_t capabilities = ~std::uint64_t{0};  // CapEff of /proc/self/status
  bool in_user_namespace = false;                  // in another than the machine's first
  bool in_pid_namespace = false;
  bool shows_own_process_ids = true;  // /proc
  std::string lockdown;               // "none", "integrity", "confidentiality"; empty: the kernel does not know it
};

// All but may_make_maps, from /proc and /sys.
KernelSurroundings look_at_surroundings();

struct KernelObstacle {
  std::string reason, advice;
};
std::optional<KernelObstacle> obstacle_in(const KernelSurroundings& found);

// Whether processes of other accounts may be looked at.
bool may_look_at_all(const KernelSurroundings& found);

// Why programs are better metered in another way here; empty: nothing speaks for one.
std::string drawback_in(const KernelSurroundings& found);

// The word in brackets of "none [integrity] confidentiality".
std::string chosen_lockdown(const std::string& line);

}  // namespace dpm
