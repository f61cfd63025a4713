#include "backends/linux/custody/acquire/injected_code.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <csignal>
#include <cstring>

#include "model/check.hpp"
#include "os/kernel/filter_call.hpp"

namespace dpm {
namespace {

// Numbered as in x86-64 instructions.
enum Register : std::uint8_t { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };
constexpr auto kListener = r15;  // system calls preserve it

class Assembler {
 public:
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte>& bytes() { return bytes_; }

  void load(Register into, std::uint64_t value) {
    if (value > UINT32_MAX) return load_address(into, value);
    if (into >= r8) append_byte(0x41);
    append_byte(0xb8 | (into & 7));
    append(&value, sizeof(std::uint32_t));  // the upper half becomes 0
  }
  void load_address(Register into, std::uint64_t value) {  // always ten bytes
    append_byte(0x48 | (into >= r8 ? 1 : 0));
    append_byte(0xb8 | (into & 7));
    append(&value, sizeof value);
  }
  void copy(Register into, Register from) {
    append_byte(0x48 | (from >= r8 ? 4 : 0) | (into >= r8 ? 1 : 0));
    append_byte(0x89);
    append_byte(0xc0 | (from & 7) << 3 | (into & 7));
  }
  void system_call() {
    append_byte(0x0f);
    append_byte(0x05);
  }
  void jump(std::uint64_t address) {  // through the eight bytes that follow
    append_byte(0xff);
    append_byte(0x25);
    for (int i = 0; i < 4; ++i) append_byte(0);
    append(&address, sizeof address);
  }
  void append(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
  }
  void align() { bytes_.resize((bytes_.size() + 7) / 8 * 8); }

 private:
  void append_byte(int byte) { bytes_.push_back(static_cast<std::byte>(byte)); }
  std::vector<std::byte> bytes_;
};

// The place of the data, after the instructions.
struct Places {
  std::uint64_t program = 0, blocked_signals = 0;
};

void load_call(Assembler& code, long number) { code.load(rax, static_cast<std::uint64_t>(number)); }

void give_up_privileges(Assembler& code) {
  load_call(code, SYS_prctl);
  code.load(rdi, PR_SET_NO_NEW_PRIVS);
  code.load(rsi, 1);
  for (const auto unused : {rdx, r10, r8}) code.load(unused, 0);
  code.system_call();
}

void install_filter(Assembler& code, const Injected& injected, const Places& places) {
  code.load(r9, kInjectedCall);
  load_call(code, SYS_seccomp);
  code.load(rdi, kSetFilter);
  code.load(rsi, kAllThreadsWithListener);
  code.load_address(rdx, places.program);
  code.system_call();
  code.copy(kListener, rax);

  load_call(code, SYS_fcntl);
  code.copy(rdi, kListener);
  code.load(rsi, F_DUPFD);
  code.load(rdx, static_cast<std::uint64_t>(injected.spare_number));
  code.system_call();

  load_call(code, SYS_close);
  code.copy(rdi, kListener);
  code.system_call();
}

void go_back(Assembler& code, const Injected& injected, const Places& places) {
  load_call(code, SYS_rt_sigprocmask);
  code.load(rdi, SIG_SETMASK);
  code.load_address(rsi, places.blocked_signals);
  code.load(rdx, 0);
  code.load(r10, sizeof injected.blocked_signals);
  code.system_call();

  const auto& to = injected.registers;
  code.load(rax, to.rax);
  code.load(rcx, to.rcx);
  code.load(rdx, to.rdx);
  code.load(rbx, to.rbx);
  code.load(rbp, to.rbp);
  code.load(rsi, to.rsi);
  code.load(rdi, to.rdi);
  code.load(r8, to.r8);
  code.load(r9, to.r9);
  code.load(r10, to.r10);
  code.load(r11, to.r11);
  code.load(r12, to.r12);
  code.load(r13, to.r13);
  code.load(r14, to.r14);
  code.load(r15, to.r15);
  code.jump(to.rip);
}

}  // namespace

InjectedCode injected_code(const Injected& injected, std::uint64_t address) {
  DPM_CHECK(address % 16 == 0);
  // Data first, because the code refers to their addresses.
  Assembler code;
  code.append(injected.filter.data(), injected.filter.size_bytes());
  const FilterProgram program{static_cast<std::uint16_t>(injected.filter.size()), address};
  Places places;
  places.program = address + code.size();
  code.append(&program, sizeof program);
  places.blocked_signals = address + code.size();
  code.append(&injected.blocked_signals, sizeof injected.blocked_signals);

  InjectedCode result;
  result.begin_without_privileges = address + code.size();
  give_up_privileges(code);
  result.begin = address + code.size();
  install_filter(code, injected, places);
  go_back(code, injected, places);
  code.align();
  result.bytes = std::move(code.bytes());
  return result;
}

}  // namespace dpm
