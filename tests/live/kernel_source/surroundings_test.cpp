#include "backends/linux/bpf/kernel_surroundings.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

std::string reason_in(const KernelSurroundings& found) {
  const auto obstacle = obstacle_in(found);
  if (!obstacle) return "";
  CHECK_FALSE(obstacle->advice.empty());
  return obstacle->reason;
}

constexpr std::uint64_t kSysAdmin = 1ull << 21, kPerfmon = 1ull << 38, kBpf = 1ull << 39;

TEST_CASE("eBPF source: what is missing is named, and nothing where nothing is", "[linux][kernel_source]") {
  CHECK(reason_in({}).empty());
  CHECK(reason_in({.has_types = false}).find("type information") != std::string::npos);
  CHECK(reason_in({.may_make_maps = false}).find("bpf(2) is forbidden") != std::string::npos);
  CHECK(reason_in({.may_make_maps = false, .in_user_namespace = true}).find("user namespace") != std::string::npos);
  CHECK(reason_in({.may_make_maps = false, .capabilities = 0}).find("this account") != std::string::npos);
  CHECK(reason_in({.lockdown = "confidentiality"}).find("locked down") != std::string::npos);
  CHECK(reason_in({.lockdown = "integrity"}).empty());
  CHECK(reason_in({.shows_own_process_ids = false}).find("another process namespace") != std::string::npos);
}

TEST_CASE("eBPF source: it needs two capabilities, or the one that has all", "[linux][kernel_source]") {
  CHECK(reason_in({.capabilities = kBpf | kPerfmon}).empty());
  CHECK(reason_in({.capabilities = kSysAdmin}).empty());
  CHECK_FALSE(reason_in({.capabilities = kBpf}).empty());
  CHECK_FALSE(reason_in({.capabilities = kPerfmon}).empty());
}

TEST_CASE("eBPF source: in a pid namespace another source serves better", "[linux][kernel_source]") {
  CHECK(drawback_in({}).empty());
  CHECK_FALSE(drawback_in({.in_pid_namespace = true}).empty());
}

TEST_CASE("eBPF source: the lockdown of the kernel is the word in brackets", "[linux][kernel_source]") {
  CHECK(chosen_lockdown("none [integrity] confidentiality") == "integrity");
  CHECK(chosen_lockdown("none integrity [confidentiality]") == "confidentiality");
  CHECK(chosen_lockdown("").empty());
  CHECK(chosen_lockdown("]x[").empty());
}

}  // namespace
}  // namespace dpm
