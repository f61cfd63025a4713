#include "backends/linux/bpf/hook_choice.hpp"

#include <algorithm>
#include <set>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

const std::set<std::string> kNewTracepoints = {"sock_send_length", "sock_recv_length", "sched_switch"};
const std::set<std::string> kSocketFunctions = {"inet_sendmsg",        "inet6_sendmsg",       "unix_stream_sendmsg",
                                                "unix_dgram_sendmsg",  "inet_recvmsg",        "inet6_recvmsg",
                                                "unix_stream_recvmsg", "__unix_dgram_recvmsg"};
const std::set<std::string> kPageFunctions = {"tcp_sendpage", "udp_sendpage", "unix_stream_sendpage"};

// The programs of which kernels choose, and one that each needs.
std::vector<KernelHook> all_hooks() {
  std::vector<KernelHook> hooks;
  const auto add = [&](const char* program, const char* section) { hooks.push_back(hook_of(program, section)); };
  add("on_switch", "tp_btf/sched_switch");
  add("on_sent", "tp_btf/sock_send_length");
  add("on_received", "tp_btf/sock_recv_length");
  add("on_sent_inet", "fexit/inet_sendmsg");
  add("on_sent_inet6", "fexit/inet6_sendmsg");
  add("on_sent_unix_stream", "fexit/unix_stream_sendmsg");
  add("on_sent_unix_datagram", "fexit/unix_dgram_sendmsg");
  add("on_received_inet", "fexit/inet_recvmsg");
  add("on_received_inet6", "fexit/inet6_recvmsg");
  add("on_received_unix_stream", "fexit/unix_stream_recvmsg");
  add("on_received_unix_datagram", "fexit/__unix_dgram_recvmsg");
  add("on_page_sent_tcp", "fexit/tcp_sendpage");
  add("on_page_sent_udp", "fexit/udp_sendpage");
  add("on_page_sent_unix_stream", "fexit/unix_stream_sendpage");
  return hooks;
}

Result<std::set<std::string>> chosen_of(const std::set<std::string>& tracepoints,
                                        const std::set<std::string>& functions) {
  return choose_hooks(all_hooks(), [&](const KernelHook& hook) {
    return (hook.kind == KernelHook::Kind::tracepoint ? tracepoints : functions).contains(hook.place);
  });
}

std::set<std::string> united(std::set<std::string> one, const std::set<std::string>& other) {
  one.insert(other.begin(), other.end());
  return one;
}

TEST_CASE("hooks: a section names the tracepoint or function", "[linux][kernel_source]") {
  CHECK(hook_of("on_sent", "tp_btf/sock_send_length") ==
        KernelHook{"on_sent", KernelHook::Kind::tracepoint, "sock_send_length"});
  CHECK(hook_of("on_sent_inet", "fexit/inet_sendmsg") ==
        KernelHook{"on_sent_inet", KernelHook::Kind::function, "inet_sendmsg"});
  CHECK(hook_of("look", "iter/task").kind == KernelHook::Kind::other);
  CHECK(hook_of("look", "uprobe").kind == KernelHook::Kind::other);
}

TEST_CASE("hooks: Linux 6.18 has tracepoints of sockets, so no function is used", "[linux][kernel_source]") {
  const auto chosen = chosen_of(kNewTracepoints, kSocketFunctions);
  REQUIRE(chosen);
  CHECK(*chosen == std::set<std::string>{"on_switch", "on_sent", "on_received"});
}

TEST_CASE("hooks: Linux 6.1 has none of them, so the functions of each kind of socket are used",
          "[linux][kernel_source]") {
  const auto chosen = chosen_of({"sched_switch"}, united(kSocketFunctions, kPageFunctions));
  REQUIRE(chosen);
  CHECK(chosen->size() == 1 + kSocketFunctions.size() + kPageFunctions.size());
  CHECK_FALSE(chosen->contains("on_sent"));
  CHECK_FALSE(chosen->contains("on_received"));
}

TEST_CASE("hooks: Linux 6.3 has the tracepoints, and sends pages without them", "[linux][kernel_source]") {
  const auto chosen = chosen_of(kNewTracepoints, united(kSocketFunctions, kPageFunctions));
  REQUIRE(chosen);
  CHECK(*chosen == std::set<std::string>{"on_switch", "on_sent", "on_received", "on_page_sent_tcp", "on_page_sent_udp",
                                         "on_page_sent_unix_stream"});
}

TEST_CASE("hooks: each fact is chosen for itself", "[linux][kernel_source]") {
  const auto chosen = chosen_of({"sched_switch", "sock_recv_length"}, kSocketFunctions);
  REQUIRE(chosen);
  CHECK(chosen->contains("on_received"));
  CHECK_FALSE(chosen->contains("on_received_inet"));
  CHECK(chosen->contains("on_sent_inet"));
}

TEST_CASE("hooks: a fact that cannot be seen is named, with what is missing", "[linux][kernel_source]") {
  auto functions = kSocketFunctions;
  functions.erase("inet6_sendmsg");
  const auto refused = chosen_of({"sched_switch"}, functions);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().what ==
        "this kernel does not show the data that sockets send: it has neither tracepoint sock_send_length nor function "
        "inet6_sendmsg");
  const auto without_switch = chosen_of({"sock_send_length", "sock_recv_length"}, {});
  REQUIRE_FALSE(without_switch);
  CHECK(without_switch.error().what == "this kernel has no tracepoint sched_switch");
}

TEST_CASE("hooks: no program belongs to two facts, and only the last way of a fact is empty",
          "[linux][kernel_source]") {
  std::set<std::string> seen;
  for (const HookWays& fact : hook_ways()) {
    INFO(fact.fact);
    for (const auto& way : fact.ways) {
      CHECK((!way.empty() || &way == &fact.ways.back()));
      for (const char* program : way) {
        INFO(program);
        CHECK(seen.insert(program).second);
        CHECK(std::ranges::any_of(all_hooks(), [&](const KernelHook& hook) { return hook.program == program; }));
      }
    }
  }
}

}  // namespace
}  // namespace dpm
