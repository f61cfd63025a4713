#include "backends/linux/bpf/kernel_programs.hpp"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <utility>

#include "backends/linux/bpf/hook_choice.hpp"
#include "backends/linux/calls/metered_call.hpp"
#include "os/load_messages.hpp"
#include "os/process_namespace.hpp"
#include "os/unique_fd.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#include "backends/linux/bpf/meter_programs.skel.h"
#pragma GCC diagnostic pop

namespace dpm {
namespace {

constexpr int kFutexWaitv = 449;

int keep_message(libbpf_print_level level, const char* format, va_list values) {
  return level == LIBBPF_DEBUG ? 0 : LoadMessages::keep(format, values);
}

dpm_call call_of(const MeteredCall& call) {
  switch (call.family) {
    case CallFamily::receive:
      return dpm_call_receive;
    case CallFamily::send:
      return dpm_call_send;
    case CallFamily::accept:
      return dpm_call_accept;
    case CallFamily::transfer:
      return dpm_call_transfer;
    case CallFamily::child:
      return dpm_call_child;
    case CallFamily::give:
      return dpm_call_give;
    case CallFamily::copy:
      return dpm_call_copy;
    case CallFamily::bypass:
    case CallFamily::path:
    case CallFamily::confine:
      break;
  }
  switch (call.path) {
    case PathCall::socket:
      return dpm_call_socket;
    case PathCall::pair:
      return dpm_call_pair;
    case PathCall::connect:
      return dpm_call_connect;
    case PathCall::dup:
      return dpm_call_dup;
    case PathCall::dup_to:
      return dpm_call_dup_to;
    case PathCall::close:
      return dpm_call_close;
    case PathCall::listen:
      return dpm_call_listen;
    case PathCall::none:
      break;
  }
  return dpm_call_none;
}

dpm_call_shape shape_of(const MeteredCall& call) {
  constexpr std::uint8_t kAddressOfRecvfrom = 5;
  dpm_call_shape shape = {};
  shape.call = static_cast<unsigned char>(call_of(call));
  shape.flags_argument = static_cast<unsigned char>(call.flags + 1);
  shape.address_argument = static_cast<unsigned char>(call.address + 1);
  shape.needs_socket = call.flags >= 0 ? 1 : 0;
  shape.is_vector = call.length == LengthForm::vector ? 1 : 0;
  if (call.length == LengthForm::message || call.length == LengthForm::messages) {
    shape.address_argument = 2;
    shape.is_message = call.length == LengthForm::messages ? 2 : 1;
  } else if (call.family == CallFamily::receive && call.flags >= 0) {
    shape.address_argument = kAddressOfRecvfrom;
  }
  return shape;
}

// Calls that move data past the programs.
dpm_bypass bypass_of(int number) {
  switch (number) {
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
      return dpm_bypass_posix_queue;
    case SYS_msgsnd:
    case SYS_msgrcv:
      return dpm_bypass_sysv_queue;
    case SYS_io_uring_setup:
      return dpm_bypass_ring;
    case SYS_process_vm_readv:
    case SYS_process_vm_writev:
      return dpm_bypass_memory;
    default:
      return dpm_bypass_none;
  }
}

// By the numbers of 32-bit code (asm/unistd_32.h).
dpm_in_32_bit in_32_bit(int number) {
  switch (number) {
    case 3:
      return dpm_32_bit_read;
    case 4:
      return dpm_32_bit_write;
    case 145:
      return dpm_32_bit_readv;
    case 146:
      return dpm_32_bit_writev;
    case 187:  // sendfile
    case 239:  // sendfile64
    case 248:  // io_submit
    case 279:  // mq_timedsend
    case 280:  // mq_timedreceive
    case 313:  // splice
    case 315:  // tee
    case 316:  // vmsplice
    case 378:  // preadv2
    case 379:  // pwritev2
      return dpm_32_bit_passes;
    default:
      return dpm_32_bit_other;
  }
}

unsigned char wait_of(int number) {
  switch (number) {
    case SYS_futex:
    case kFutexWaitv:
      return dpm_wait_futex;
    case SYS_flock:
    case SYS_fcntl:
      return dpm_wait_file_lock;
    case SYS_semop:
    case SYS_semtimedop:
      return dpm_wait_other_lock;
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
      return dpm_wait_timer;
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
      return dpm_wait_signal;
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
      return dpm_wait_poll;
    default:
      return 0;
  }
}

// The running kernel's own description of its types and functions.
class KernelTypes {
 public:
  KernelTypes() : types_(::btf__load_vmlinux_btf()) {}
  ~KernelTypes() { ::btf__free(types_); }
  KernelTypes(const KernelTypes&) = delete;
  KernelTypes& operator=(const KernelTypes&) = delete;

  bool has_function(const std::string& name) const { return has(name, BTF_KIND_FUNC); }
  bool has_hook(const KernelHook& hook) const {
    if (hook.kind == KernelHook::Kind::tracepoint) return has("btf_trace_" + hook.place, BTF_KIND_TYPEDEF);
    return has_function(hook.place);
  }

 private:
  bool has(const std::string& name, unsigned kind) const {
    return types_ != nullptr && ::btf__find_by_name_kind(types_, name.c_str(), kind) > 0;
  }

  btf* const types_;
};

std::vector<bpf_program*> programs_of(bpf_object* object) {
  std::vector<bpf_program*> programs;
  for (bpf_program* program = nullptr; (program = ::bpf_object__next_program(object, program)) != nullptr;)
    programs.push_back(program);
  return programs;
}

KernelHook hook_behind(bpf_program* program) {
  return hook_of(::bpf_program__name(program), ::bpf_program__section_name(program));
}

Result<void> choose_programs(bpf_object* object, const KernelTypes& types) {
  std::vector<KernelHook> hooks;
  for (bpf_program* program : programs_of(object)) hooks.push_back(hook_behind(program));
  const auto chosen = choose_hooks(hooks, [&types](const KernelHook& hook) { return types.has_hook(hook); });
  if (!chosen)
    return Error{fmt::format("load programs into the kernel: {}; 'dpm meter --source notify' needs none of it",
                             chosen.error().what)};
  for (bpf_program* program : programs_of(object))
    ::bpf_program__set_autoload(program, chosen->contains(::bpf_program__name(program)));
  return {};
}

std::string advice_for(int error_number) {
  if (error_number == EPERM || error_number == EACCES)
    return "it needs root, or the capabilities CAP_BPF and CAP_PERFMON, and a kernel that is not locked down";
  if (error_number == ENOENT || error_number == ESRCH)
    return "the kernel must have its type information, /sys/kernel/btf/vmlinux";
  return "'dpm meter --source notify' needs nothing of the kernel's programs";
}

// What libbpf has said names the program or the field that the kernel refused.
Error refusal(int error, const LoadMessages& messages) {
  const int number = error < 0 ? -error : error;
  const std::string said = messages.reason();
  return Error{fmt::format("load programs into the kernel: {}{}; {}", std::strerror(number),
                           said.empty() ? "" : fmt::format(" ({})", said), advice_for(number))};
}

}  // namespace

struct KernelPrograms::State {
  meter_programs* skeleton = nullptr;
  std::vector<UniqueFd> own_rings;
  std::vector<int> rings;

  ~State() {
    if (skeleton != nullptr) meter_programs__destroy(skeleton);
  }

  void choose_calls(bool paths) const {
    for (int number = 0; number < dpm_calls_max; ++number) {
      const MeteredCall* call = find_metered_call(number);
      const bool wanted =
          call != nullptr && call->family != CallFamily::confine && (call->family != CallFamily::path || paths);
      dpm_call_shape shape = wanted ? shape_of(*call) : dpm_call_shape{};
      shape.waits_for = wait_of(number);
      shape.bypasses = static_cast<unsigned char>(bypass_of(number));
      shape.in_32_bit = static_cast<unsigned char>(in_32_bit(number));
      if (number == SYS_fcntl && paths) shape.call = dpm_call_dup;
      if (shape.bypasses != 0) shape.call = dpm_call_bypass;
      if (number == SYS_io_submit) shape.call = dpm_call_submit;
      skeleton->rodata->call_shapes[number] = shape;
    }
  }

  Result<void> make_rings(int processors, std::size_t bytes) {
    for (int processor = 0; processor < processors; ++processor) {
      UniqueFd ring(::bpf_map_create(BPF_MAP_TYPE_RINGBUF, "dpm_ring", 0, 0, static_cast<unsigned>(bytes), nullptr));
      if (!ring) return Error::from_errno(fmt::format("make a ring of {} bytes in the kernel", bytes));
      const int fd = ring.get();
      if (::bpf_map_update_elem(bpf_map__fd(skeleton->maps.rings), &processor, &fd, BPF_ANY) != 0)
        return Error::from_errno("pass a ring to the kernel's programs");
      rings.push_back(fd);
      own_rings.push_back(std::move(ring));
    }
    rings.push_back(bpf_map__fd(skeleton->maps.news));
    return {};
  }
};

KernelPrograms::KernelPrograms(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelPrograms::KernelPrograms(KernelPrograms&&) noexcept = default;
KernelPrograms& KernelPrograms::operator=(KernelPrograms&&) noexcept = default;
KernelPrograms::~KernelPrograms() = default;

KernelSurroundings KernelPrograms::surroundings() {
  KernelSurroundings found = look_at_surroundings();
  // Maps of this kind need CAP_BPF, on every kernel.
  const UniqueFd map(::bpf_map_create(BPF_MAP_TYPE_LRU_HASH, "dpm_trial", 4, 4, 1, nullptr));
  found.may_make_maps = static_cast<bool>(map) || errno != EPERM;
  return found;
}

Result<KernelPrograms> KernelPrograms::load(const Options& options) {
  ::libbpf_set_print(keep_message);
  const LoadMessages messages;
  auto state = std::make_unique<State>();
  state->skeleton = meter_programs__open();
  if (state->skeleton == nullptr) return refusal(errno, messages);
  const int processors = ::libbpf_num_possible_cpus();
  ::bpf_map__set_max_entries(state->skeleton->maps.rings, static_cast<unsigned>(processors));
  ::bpf_map__set_max_entries(state->skeleton->maps.processors, static_cast<unsigned>(processors));
  state->choose_calls(options.paths);
  state->skeleton->rodata->scope = options.scope;
  state->skeleton->rodata->tells_hand_overs = options.hand_overs ? 1 : 0;
  if (has_own_process_ids()) state->skeleton->rodata->meter_namespace = process_namespace();
  const KernelTypes types;
  if (auto chosen = choose_programs(state->skeleton->obj, types); !chosen) return chosen.error();
  if (options.scope.cgroup == 0) ::bpf_program__set_autoload(state->skeleton->progs.on_enter_cgroup, false);
  state->skeleton->rodata->can_cast = types.has_function("bpf_rdonly_cast") ? 1 : 0;
  if (const int error = meter_programs__load(state->skeleton); error != 0) return refusal(error, messages);
  if (auto made = state->make_rings(processors, options.ring_bytes); !made) return made.error();
  state->skeleton->bss->shared.wake_bytes = options.ring_bytes / 2;
  if (const int error = meter_programs__attach(state->skeleton); error != 0) return refusal(error, messages);
  return KernelPrograms(std::move(state));
}

std::optional<std::string> KernelPrograms::refusal_here() {
  Options options;
  options.ring_bytes = static_cast<std::size_t>(::getpagesize());
  const auto loaded = load(options);
  return loaded ? std::nullopt : std::optional(loaded.error().what);
}

Result<void> KernelPrograms::follow(int thread_fd, dpm_followed thread) {
  std::vector<char> state(bpf_map__value_size(state_->skeleton->maps.threads));
  std::memcpy(state.data(), &thread, sizeof thread);
  const int threads = bpf_map__fd(state_->skeleton->maps.threads);
  if (::bpf_map_update_elem(threads, &thread_fd, state.data(), BPF_NOEXIST) != 0 && errno != EEXIST)
    return Error::from_errno("let the kernel's programs follow a thread");
  return {};
}

const std::vector<int>& KernelPrograms::rings() const { return state_->rings; }

dpm_shared& KernelPrograms::shared() { return state_->skeleton->bss->shared; }

std::vector<KernelAccount> KernelPrograms::accounts() const {
  const int map = bpf_map__fd(state_->skeleton->maps.accounts);
  std::vector<KernelAccount> all;
  dpm_account_key key = {};
  for (const dpm_account_key* before = nullptr; ::bpf_map_get_next_key(map, before, &key) == 0; before = &key) {
    dpm_account account = {};
    if (::bpf_map_lookup_elem(map, &key, &account) == 0) all.push_back({key, account});
  }
  return all;
}

std::uint64_t KernelPrograms::missed_uses() const {
  std::uint64_t missed = 0;
  for (bpf_program* program : programs_of(state_->skeleton->obj)) {
    const int fd = ::bpf_program__fd(program);
    if (fd < 0 || hook_behind(program).kind != KernelHook::Kind::function) continue;
    bpf_prog_info info = {};
    unsigned bytes = sizeof info;
    if (::bpf_obj_get_info_by_fd(fd, &info, &bytes) == 0) missed += info.recursion_misses;
  }
  return missed;
}

std::vector<KernelPrograms::Bypassing> KernelPrograms::bypassing() const {
  const int map = bpf_map__fd(state_->skeleton->maps.bypassing);
  std::vector<Bypassing> all;
  dpm_bypass_key key = {};
  for (const dpm_bypass_key* before = nullptr; ::bpf_map_get_next_key(map, before, &key) == 0; before = &key) {
    dpm_bypassing found = {};
    if (::bpf_map_lookup_elem(map, &key, &found) != 0) break;
    const std::string name(found.name, ::strnlen(found.name, sizeof found.name));
    all.push_back({key.pid, name, static_cast<dpm_bypass>(key.kind), found.calls});
  }
  return all;
}

std::vector<KernelPrograms::Refused> KernelPrograms::refused() const {
  struct Key {
    std::uint32_t pid, kind;
  };
  const int map = bpf_map__fd(state_->skeleton->maps.refused);
  std::vector<Refused> all;
  Key key = {};
  for (const Key* before = nullptr; ::bpf_map_get_next_key(map, before, &key) == 0; before = &key) {
    std::uint64_t records = 0;
    if (::bpf_map_lookup_elem(map, &key, &records) != 0) break;
    all.push_back({key.pid, static_cast<dpm_record_kind>(key.kind), records});
  }
  return all;
}

}  // namespace dpm
