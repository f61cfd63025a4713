#include "backends/linux/bpf/kernel_surroundings.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "os/process_namespace.hpp"

namespace dpm {
namespace {

constexpr unsigned kCapSysPtrace = 19, kCapSysAdmin = 21, kCapPerfmon = 38, kCapBpf = 39;

bool has(const KernelSurroundings& found, unsigned capability) {
  return ((found.capabilities >> capability | found.capabilities >> kCapSysAdmin) & 1) != 0;
}

bool is_in_user_namespace() {
  constexpr ino_t kFirst = 0xeffffffd;  // of a machine (linux/proc_ns.h)
  struct stat found = {};
  return ::stat("/proc/self/ns/user", &found) == 0 && found.st_ino != kFirst;
}

std::uint64_t effective_capabilities() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "CapEff:" && status >> word) return std::stoull(word, nullptr, 16);
  return 0;
}

}  // namespace

std::string chosen_lockdown(const std::string& line) {
  const std::size_t from = line.find('['), to = line.find(']');
  return from == std::string::npos || to == std::string::npos || to < from ? "" : line.substr(from + 1, to - from - 1);
}

KernelSurroundings look_at_surroundings() {
  KernelSurroundings found;
  found.has_types = ::access("/sys/kernel/btf/vmlinux", R_OK) == 0;
  found.capabilities = effective_capabilities();
  found.in_user_namespace = is_in_user_namespace();
  found.in_pid_namespace = has_own_process_ids();
  found.shows_own_process_ids = shows_own_process_ids();
  std::ifstream lockdown("/sys/kernel/security/lockdown");
  std::string line;
  std::getline(lockdown, line);
  found.lockdown = chosen_lockdown(line);
  return found;
}

std::optional<KernelObstacle> obstacle_in(const KernelSurroundings& found) {
  if (!found.shows_own_process_ids)
    return KernelObstacle{"/proc shows another process namespace",
                          "mount one of this namespace: 'mount -t proc proc /proc', or 'unshare --mount-proc'"};
  if (!found.has_types)
    return KernelObstacle{"this kernel has no type information (/sys/kernel/btf/vmlinux)",
                          "use --source notify, or a kernel that was built with CONFIG_DEBUG_INFO_BTF"};
  if (found.in_user_namespace && !found.may_make_maps)
    return KernelObstacle{"dpm runs in a user namespace, where no account may load programs into the kernel",
                          "use --source notify, or run dpm as root of the machine itself"};
  if (!has(found, kCapBpf) || !has(found, kCapPerfmon))
    return KernelObstacle{"this account may not load programs into the kernel",
                          "run dpm as root, or with the capabilities CAP_BPF and CAP_PERFMON, or use --source notify"};
  if (!found.may_make_maps)
    return KernelObstacle{"bpf(2) is forbidden here, although this account has the capabilities",
                          "use --source notify, or a container profile that allows bpf(2)"};
  if (found.lockdown == "confidentiality")
    return KernelObstacle{"this kernel is locked down (/sys/kernel/security/lockdown: confidentiality)",
                          "use --source notify, or start the kernel with lockdown=integrity"};
  return std::nullopt;
}

bool may_look_at_all(const KernelSurroundings& found) { return (found.capabilities >> kCapSysPtrace & 1) != 0; }

std::string drawback_in(const KernelSurroundings& found) {
  if (found.in_pid_namespace)
    return "dpm is in a pid namespace, and every call of the whole machine would pass through its programs";
  return "";
}

}  // namespace dpm
