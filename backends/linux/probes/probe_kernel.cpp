#include "backends/linux/probes/probe_kernel.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "backends/linux/probes/probe_removal.hpp"
#include "os/descriptors.hpp"
#include "os/load_messages.hpp"
#include "os/process_namespace.hpp"

namespace dpm {
namespace {

constexpr const char* kOtherWays =
    "without it, link the program with libdpm (docs/instrumenting.md); 'dpm meter' shows its messages ('dpm acquire' "
    "those "
    "of one that runs already) and 'dpm sample' what it waits for";

}  // namespace
}  // namespace dpm

#ifdef DPM_HAS_PROBES
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#include "backends/linux/probes/probes.skel.h"
#pragma GCC diagnostic pop

namespace dpm {
namespace {

int keep_message(libbpf_print_level level, const char* format, va_list values) {
  return level == LIBBPF_DEBUG ? 0 : LoadMessages::keep(format, values);
}

Error refusal(int error, const LoadMessages& messages) {
  const int number = error < 0 ? -error : error;
  std::string needs = "it needs a kernel with its type information, /sys/kernel/btf/vmlinux";
  if (number == EPERM || number == EACCES)
    needs = "it needs root, or the capabilities CAP_BPF and CAP_PERFMON, and a kernel that is not locked down";
  const std::string said = messages.reason();
  return Error{fmt::format("looking at functions of unmodified programs: {}{}; {}; {}", std::strerror(number),
                           said.empty() ? "" : fmt::format(" ({})", said), needs, kOtherWays)};
}

}  // namespace

struct ProbeKernel::State {
  probes* skeleton = nullptr;
  ring_buffer* ring = nullptr;
  struct Link {
    bpf_link* link = nullptr;
    ProbeKind kind{};
  };
  std::map<std::uint32_t, Link> links;
  const std::function<void(const dpm_probe_record&)>* use = nullptr;
  std::optional<ProbeRemoval> removal{std::in_place};

  void remove(const Link& link) {
    // Links of static tracepoints share tables of libbpf, which one thread may use.
    if (link.kind == ProbeKind::tracepoint)
      ::bpf_link__destroy(link.link);
    else
      removal->add([link] { ::bpf_link__destroy(link.link); });
  }

  ~State() {
    for (const auto& [number, link] : links) remove(link);
    removal.reset();
    if (ring != nullptr) ::ring_buffer__free(ring);
    if (skeleton != nullptr) probes__destroy(skeleton);
  }

  static int take(void* context, void* data, std::size_t) {
    (*static_cast<State*>(context)->use)(*static_cast<const dpm_probe_record*>(data));
    return 0;
  }

  bpf_link* attach_function(const Probe& probe, std::uint64_t cookie) const {
    bpf_uprobe_opts options = {};
    options.sz = sizeof options;
    options.bpf_cookie = cookie;
    options.retprobe = probe.kind == ProbeKind::exit;
    return ::bpf_program__attach_uprobe_opts(skeleton->progs.on_function, -1, probe.path.c_str(), probe.file_offset,
                                             &options);
  }

  bpf_link* attach_tracepoint(const Probe& probe, std::uint64_t cookie) const {
    const std::size_t colon = probe.tracepoint.find(':');
    const std::string provider = probe.tracepoint.substr(0, colon), name = probe.tracepoint.substr(colon + 1);
    bpf_usdt_opts options = {};
    options.sz = sizeof options;
    options.usdt_cookie = cookie;
    return ::bpf_program__attach_usdt(skeleton->progs.on_tracepoint, -1, probe.path.c_str(), provider.c_str(),
                                      name.c_str(), &options);
  }
};

Result<ProbeKernel> ProbeKernel::load() {
  ::libbpf_set_print(keep_message);
  const LoadMessages messages;
  if (has_own_process_ids())
    return Error{
        fmt::format("looking at functions of unmodified programs needs the machine's own process ids, which a "
                    "container hides; {}",
                    kOtherWays)};
  auto state = std::make_unique<State>();
  state->skeleton = probes__open();
  if (state->skeleton == nullptr) return refusal(errno, messages);
  if (const int error = probes__load(state->skeleton); error != 0) return refusal(error, messages);
  if (const int error = probes__attach(state->skeleton); error != 0) return refusal(error, messages);
  state->ring = ::ring_buffer__new(bpf_map__fd(state->skeleton->maps.ring), State::take, state.get(), nullptr);
  if (state->ring == nullptr) return refusal(errno, messages);
  allow_many_descriptors();  // each probe takes two
  return ProbeKernel(std::move(state));
}

Result<void> ProbeKernel::attach(std::uint32_t number, const Probe& probe) {
  const std::uint64_t cookie = number | static_cast<std::uint64_t>(probe.value) << dpm_probe_value_shift;
  bpf_link* const link = probe.kind == ProbeKind::tracepoint ? state_->attach_tracepoint(probe, cookie)
                                                             : state_->attach_function(probe, cookie);
  if (link == nullptr) return Error::from_errno(fmt::format("set a probe in {}", probe.path));
  state_->links[number] = {link, probe.kind};
  return {};
}

void ProbeKernel::detach(std::uint32_t number) {
  const auto found = state_->links.find(number);
  if (found == state_->links.end()) return;
  state_->remove(found->second);
  state_->links.erase(found);
}

void ProbeKernel::want(std::uint32_t process, bool is_wanted) {
  const std::uint32_t value = is_wanted ? dpm_probe_wanted : dpm_probe_unwanted;
  ::bpf_map_update_elem(bpf_map__fd(state_->skeleton->maps.processes), &process, &value, BPF_ANY);
}

void ProbeKernel::take(const std::function<void(const dpm_probe_record&)>& use) {
  state_->use = &use;
  ::ring_buffer__consume(state_->ring);
  state_->use = nullptr;
}

std::vector<ProbeKernel::Loss> ProbeKernel::losses() const {
  const int map = bpf_map__fd(state_->skeleton->maps.lost);
  std::vector<Loss> all;
  dpm_probe_lost_key key = {};
  for (const dpm_probe_lost_key* before = nullptr; ::bpf_map_get_next_key(map, before, &key) == 0; before = &key) {
    std::uint64_t records = 0;
    if (::bpf_map_lookup_elem(map, &key, &records) == 0) all.push_back({key.process, key.probe, records});
  }
  return all;
}

std::uint64_t ProbeKernel::lost_otherwise() const { return state_->skeleton->bss->lost_otherwise; }

}  // namespace dpm
#else
namespace dpm {

struct ProbeKernel::State {};

Result<ProbeKernel> ProbeKernel::load() {
  return Error{
      fmt::format("this dpm was built without clang, bpftool or libbpf, and cannot look at functions of unmodified "
                  "programs; {}",
                  kOtherWays)};
}
Result<void> ProbeKernel::attach(std::uint32_t, const Probe&) { return {}; }
void ProbeKernel::detach(std::uint32_t) {}
void ProbeKernel::want(std::uint32_t, bool) {}
void ProbeKernel::take(const std::function<void(const dpm_probe_record&)>&) {}
std::vector<ProbeKernel::Loss> ProbeKernel::losses() const { return {}; }
std::uint64_t ProbeKernel::lost_otherwise() const { return 0; }

}  // namespace dpm
#endif

namespace dpm {

ProbeKernel::ProbeKernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProbeKernel::ProbeKernel(ProbeKernel&&) noexcept = default;
ProbeKernel& ProbeKernel::operator=(ProbeKernel&&) noexcept = default;
ProbeKernel::~ProbeKernel() = default;

}  // namespace dpm
