#include "backends/linux/bpf/hook_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/check.hpp"

namespace dpm {
namespace {

std::string description_of(const KernelHook& hook) {
  return fmt::format("{} {}", hook.kind == KernelHook::Kind::tracepoint ? "tracepoint" : "function", hook.place);
}

class Choice {
 public:
  Choice(std::span<const KernelHook> hooks, const HasHook& kernel_has) : kernel_has_(kernel_has) {
    for (const auto& hook : hooks) hooks_.emplace(hook.program, hook);
  }

  Result<std::set<std::string>> make() const {
    std::set<std::string> chosen;
    for (const auto& [program, hook] : hooks_) chosen.insert(program);
    for (const HookWays& fact : hook_ways())
      for (const auto& way : fact.ways) std::ranges::for_each(way, [&](const char* program) { chosen.erase(program); });
    for (const auto& program : chosen)
      if (!has(program)) return Error{"this kernel has no " + description_of(hooks_.at(program))};
    for (const HookWays& fact : hook_ways()) {
      const auto way =
          std::ranges::find_if(fact.ways, [this](const auto& programs) { return missing_in(programs) == nullptr; });
      if (way == fact.ways.end()) return unseen(fact);
      chosen.insert(way->begin(), way->end());
    }
    return chosen;
  }

 private:
  bool has(const std::string& program) const {
    const auto found = hooks_.find(program);
    DPM_CHECK(found != hooks_.end());
    return found->second.kind == KernelHook::Kind::other || kernel_has_(found->second);
  }

  const char* missing_in(const std::vector<const char*>& programs) const {
    const auto missing = std::ranges::find_if(programs, [this](const char* program) { return !has(program); });
    return missing == programs.end() ? nullptr : *missing;
  }

  Error unseen(const HookWays& fact) const {
    std::string missing;
    for (const auto& way : fact.ways)
      missing += fmt::format("{} {}", missing.empty() ? "neither" : " nor", description_of(hooks_.at(missing_in(way))));
    return Error{fmt::format("this kernel does not show {}: it has {}", fact.fact, missing)};
  }

  std::map<std::string, KernelHook> hooks_;  // by program
  const HasHook& kernel_has_;
};

}  // namespace

KernelHook hook_of(std::string_view program, std::string_view section) {
  const auto slash = section.find('/');
  KernelHook hook{std::string(program), KernelHook::Kind::other, ""};
  if (slash == std::string_view::npos) return hook;
  const std::string_view kind = section.substr(0, slash);
  if (kind == "tp_btf") hook.kind = KernelHook::Kind::tracepoint;
  if (kind == "fentry" || kind == "fexit") hook.kind = KernelHook::Kind::function;
  if (hook.kind != KernelHook::Kind::other) hook.place = section.substr(slash + 1);
  return hook;
}

const std::vector<HookWays>& hook_ways() {
  static const std::vector<HookWays> ways = {
      {"the data that sockets send",
       {{"on_sent"}, {"on_sent_inet", "on_sent_inet6", "on_sent_unix_stream", "on_sent_unix_datagram"}}},
      {"the data that sockets receive",
       {{"on_received"},
        {"on_received_inet", "on_received_inet6", "on_received_unix_stream", "on_received_unix_datagram"}}},
      // Linux 6.5 has no such functions: there, sendfile() sends messages.
      {"pages that are sent through TCP", {{"on_page_sent_tcp"}, {}}},
      {"pages that are sent through UDP", {{"on_page_sent_udp"}, {}}},
      {"pages that are sent through UNIX streams", {{"on_page_sent_unix_stream"}, {}}},
  };
  return ways;
}

Result<std::set<std::string>> choose_hooks(std::span<const KernelHook> hooks, const HasHook& kernel_has) {
  return Choice(hooks, kernel_has).make();
}

}  // namespace dpm
