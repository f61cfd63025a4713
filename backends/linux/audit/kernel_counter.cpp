#include "backends/linux/audit/kernel_counter.hpp"

#ifdef DPM_HAS_AUDIT_PROGRAMS
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

#include "backends/linux/audit/audit_record.h"
#include "model/channel_end.hpp"
#include "os/load_messages.hpp"
#include "os/process_handle.hpp"
#include "os/read_file.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#include "backends/linux/audit/audit_programs.skel.h"
#pragma GCC diagnostic pop

namespace dpm::audit {
namespace {

static_assert(static_cast<int>(Carrier::other) == dpm_audit_other);
static_assert(static_cast<int>(Direction::received) == dpm_audit_received);

int keep_load_message(libbpf_print_level level, const char* format, va_list values) {
  return level == LIBBPF_DEBUG ? 0 : LoadMessages::keep(format, values);
}

Error refusal(int error, const LoadMessages& messages) {
  const int number = error < 0 ? -error : error;
  const std::string said = messages.reason();
  return Error{fmt::format("load the audit's programs into the kernel: {}{}", std::strerror(number),
                           said.empty() ? "" : fmt::format(" ({})", said))};
}

// The tracepoints of Linux 6.5 are needed; that of rings had other arguments before 6.16, and then what a ring moves through pipes is not counted.
Result<bool> choose_programs(audit_programs* skeleton) {
  constexpr unsigned kArgumentsOfRing = 4;
  btf* const types = ::btf__load_vmlinux_btf();
  if (types == nullptr) return Error{"the kernel must have its type information, /sys/kernel/btf/vmlinux"};
  const auto arguments_of = [types](const char* tracepoint) -> unsigned {
    const int id = ::btf__find_by_name_kind(types, (std::string("btf_trace_") + tracepoint).c_str(), BTF_KIND_TYPEDEF);
    const btf_type* pointer =
        id > 0 ? ::btf__type_by_id(types, ::btf__type_by_id(types, static_cast<unsigned>(id))->type) : nullptr;
    return pointer == nullptr ? 0 : btf_vlen(::btf__type_by_id(types, pointer->type));
  };
  const bool shows_sockets = arguments_of("sock_send_length") > 0;
  const bool shows_rings = arguments_of("io_uring_complete") == kArgumentsOfRing;
  ::btf__free(types);
  if (!shows_sockets) return Error{"this kernel does not show the data that passes through sockets (Linux 6.5 does)"};
  ::bpf_program__set_autoload(skeleton->progs.on_ring, shows_rings);
  return shows_rings;
}

std::string name_of(const dpm_audit_name& name) {
  const int family = name.family;
  const auto end = [family](const unsigned char* bytes, std::uint16_t port) {
    char text[INET6_ADDRSTRLEN] = "";
    ::inet_ntop(family, bytes, text, sizeof text);
    ChannelEnd described;
    described.address = without_mapping(text);
    described.port = port;
    return to_string(described);
  };
  return end(name.local, name.local_port) + " > " + end(name.peer, name.peer_port);
}

std::uint64_t cpu_time_ns(std::uint32_t pid) {
  clockid_t clock = 0;
  timespec used = {};
  if (::clock_getcpuclockid(static_cast<pid_t>(pid), &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(used.tv_nsec);
}

// It has come to its gate, and its clock stands.
void await_sleep(std::uint32_t pid) {
  constexpr int kLooks = 200;
  for (int look = 0; look < kLooks; ++look) {
    const std::string stat = read_file(fmt::format("/proc/{}/stat", pid));
    const auto name_ends = stat.rfind(") ");
    if (name_ends == std::string::npos || stat.compare(name_ends, 3, ") S") == 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

struct OrderOfKeys {
  bool operator()(const dpm_audit_process_key& a, const dpm_audit_process_key& b) const {
    return std::tie(a.began_ns, a.pid) < std::tie(b.began_ns, b.pid);
  }
};

template <typename Key, typename Value, typename Take>
void for_each(const bpf_map* map, const Take& take) {
  const int fd = ::bpf_map__fd(map);
  Key key = {};
  for (const Key* before = nullptr; ::bpf_map_get_next_key(fd, before, &key) == 0; before = &key) {
    Value value = {};
    if (::bpf_map_lookup_elem(fd, &key, &value) == 0) take(key, value);
  }
}

}  // namespace

struct KernelCounter::State {
  audit_programs* skeleton = nullptr;
  bool counts_rings = false;
  std::uint32_t first_pid = 0;
  std::uint64_t cpu_before_ns = 0;  // of the first process, which was dpm

  ~State() {
    if (skeleton != nullptr) audit_programs__destroy(skeleton);
  }

  bool all_are_gone() const {
    bool gone = true;
    for_each<dpm_audit_process_key, dpm_audit_process>(skeleton->maps.processes,
                                                       [&gone](const auto&, const dpm_audit_process& process) {
                                                         gone = gone && process.threads_gone == process.threads;
                                                       });
    return gone;
  }

  std::string object_of(const dpm_audit_count_key& key) const {
    switch (key.carrier) {
      case dpm_audit_tcp:
      case dpm_audit_udp: {
        dpm_audit_name name = {};
        if (::bpf_map_lookup_elem(bpf_map__fd(skeleton->maps.names), &key.object, &name) != 0) return "(unknown)";
        return key.carrier == dpm_audit_tcp ? name_of(name) : fmt::format("port {}", name.local_port);
      }
      case dpm_audit_unix_stream:
      case dpm_audit_unix_datagram:
        return fmt::format("socket:[{}]", key.object);
      case dpm_audit_pipe:
        return fmt::format("pipe:[{}]", key.object);
      case dpm_audit_eventfd:
        return fmt::format("eventfd {}", key.object);
      default:
        return fmt::format("family {}, protocol {}", key.object >> 32, key.object & UINT32_MAX);
    }
  }
};

KernelCounter::KernelCounter(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelCounter::KernelCounter(KernelCounter&&) noexcept = default;
KernelCounter& KernelCounter::operator=(KernelCounter&&) noexcept = default;
KernelCounter::~KernelCounter() = default;

Result<KernelCounter> KernelCounter::begin(std::uint32_t pid) {
  ::libbpf_set_print(keep_load_message);
  const LoadMessages messages;
  auto state = std::make_unique<State>();
  state->skeleton = audit_programs__open();
  if (state->skeleton == nullptr) return refusal(errno, messages);
  const auto counts_rings = choose_programs(state->skeleton);
  if (!counts_rings) return counts_rings.error();
  state->counts_rings = *counts_rings;
  if (const int error = audit_programs__load(state->skeleton); error != 0) return refusal(error, messages);
  if (const int error = audit_programs__attach(state->skeleton); error != 0) return refusal(error, messages);
  const UniqueFd process = open_process(pid);
  const int process_fd = process.get();
  const std::vector<char> unknown(::bpf_map__value_size(state->skeleton->maps.followed));
  if (::bpf_map_update_elem(bpf_map__fd(state->skeleton->maps.followed), &process_fd, unknown.data(), BPF_NOEXIST) != 0)
    return Error::from_errno("let the audit's programs follow the program");
  state->first_pid = pid;
  await_sleep(pid);
  state->cpu_before_ns = cpu_time_ns(pid);
  return KernelCounter(std::move(state));
}

KernelCounter::Totals KernelCounter::end() {
  constexpr int kLooks = 100;
  for (int look = 0; look < kLooks && !state_->all_are_gone(); ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::map<dpm_audit_process_key, Process, OrderOfKeys> processes;
  for_each<dpm_audit_process_key,
           dpm_audit_process>(state_->skeleton->maps.processes, [&](const dpm_audit_process_key& key,
                                                                    const dpm_audit_process& found) {
    Process& process = processes[key];
    process.pid = key.pid;
    process.began_ns = key.began_ns;
    process.name = std::string(found.name, ::strnlen(found.name, sizeof found.name));
    if (found.threads_gone != found.threads) return;
    process.cpu_ns = found.cpu_ns;
    process.io = Process::Io{found.characters_read, found.characters_written, found.calls_read, found.calls_written};
  });
  for_each<dpm_audit_count_key, dpm_audit_count>(
      state_->skeleton->maps.counts, [&](const dpm_audit_count_key& key, const dpm_audit_count& count) {
        const auto process = processes.find(key.process);
        if (process == processes.end()) return;
        const Way way = {static_cast<Carrier>(key.carrier), static_cast<Direction>(key.direction)};
        process->second.moved[way][state_->object_of(key)] +=
            Moved{count.bytes, count.operations, count.cut, 0, count.passed};
      });
  const auto first =
      std::ranges::find_if(processes, [this](const auto& each) { return each.first.pid == state_->first_pid; });
  if (first != processes.end() && first->second.cpu_ns)
    *first->second.cpu_ns -= std::min(*first->second.cpu_ns, state_->cpu_before_ns);
  Totals totals;
  totals.counts_rings = state_->counts_rings;
  totals.uncounted = state_->skeleton->bss->uncounted;
  for (auto& [key, process] : processes) totals.processes.push_back(std::move(process));
  return totals;
}

}  // namespace dpm::audit

#else

namespace dpm::audit {

struct KernelCounter::State {};
KernelCounter::KernelCounter(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelCounter::KernelCounter(KernelCounter&&) noexcept = default;
KernelCounter& KernelCounter::operator=(KernelCounter&&) noexcept = default;
KernelCounter::~KernelCounter() = default;

Result<KernelCounter> KernelCounter::begin(std::uint32_t) {
  return Error{"this dpm was built without programs for the kernel (clang, bpftool and libbpf are needed)"};
}
KernelCounter::Totals KernelCounter::end() { return {}; }

}  // namespace dpm::audit
#endif
