#include "backends/linux/calls/metered_call.hpp"

#include <sys/syscall.h>

#include <array>
#include <cstddef>

namespace dpm {
namespace {

constexpr auto kReceive = CallFamily::receive;
constexpr auto kSend = CallFamily::send;

constexpr std::array kCalls = {
    MeteredCall{.number = SYS_read, .family = kReceive, .length = LengthForm::argument, .counted_in_io = true},
    MeteredCall{.number = SYS_readv, .family = kReceive, .length = LengthForm::vector, .counted_in_io = true},
    MeteredCall{.number = SYS_preadv2,
                .family = kReceive,
                .length = LengthForm::vector,
                .position = 3,
                .rw_flags = 5,
                .counted_in_io = true},
    MeteredCall{.number = SYS_recvfrom, .family = kReceive, .length = LengthForm::argument, .flags = 3},
    MeteredCall{.number = SYS_recvmsg, .family = kReceive, .length = LengthForm::message, .flags = 2},
    MeteredCall{.number = SYS_recvmmsg, .family = kReceive, .length = LengthForm::messages, .flags = 3},
    MeteredCall{.number = SYS_write, .family = kSend, .length = LengthForm::argument, .counted_in_io = true},
    MeteredCall{.number = SYS_writev, .family = kSend, .length = LengthForm::vector, .counted_in_io = true},
    MeteredCall{.number = SYS_pwritev2,
                .family = kSend,
                .length = LengthForm::vector,
                .position = 3,
                .rw_flags = 5,
                .counted_in_io = true},
    MeteredCall{.number = SYS_sendto, .family = kSend, .length = LengthForm::argument, .flags = 3, .address = 4},
    MeteredCall{.number = SYS_sendmsg, .family = kSend, .length = LengthForm::message, .flags = 2},
    MeteredCall{.number = SYS_sendmmsg, .family = kSend, .length = LengthForm::messages, .flags = 3},
    MeteredCall{.number = SYS_accept, .family = CallFamily::accept},
    MeteredCall{.number = SYS_accept4, .family = CallFamily::accept},
    MeteredCall{.number = SYS_sendfile,
                .family = CallFamily::transfer,
                .length = LengthForm::to_socket,
                .descriptor = 0,
                .source = 1,
                .source_at = 2,
                .byte_count = 3,
                .counted_in_io = true},
    MeteredCall{.number = SYS_splice,
                .family = CallFamily::transfer,
                .length = LengthForm::to_socket,
                .descriptor = 2,
                .source = 0,
                .source_at = 1,
                .byte_count = 4},
    MeteredCall{.number = SYS_wait4, .family = CallFamily::child},
    MeteredCall{.number = SYS_waitid, .family = CallFamily::child},
};

constexpr std::array kPathCalls = {
    MeteredCall{.number = SYS_socket, .family = CallFamily::path, .path = PathCall::socket},
    MeteredCall{.number = SYS_socketpair, .family = CallFamily::path, .path = PathCall::pair},
    MeteredCall{.number = SYS_connect, .family = CallFamily::path, .path = PathCall::connect},
    MeteredCall{.number = SYS_dup, .family = CallFamily::path, .path = PathCall::dup},
    MeteredCall{.number = SYS_dup2, .family = CallFamily::path, .path = PathCall::dup_to},
    MeteredCall{.number = SYS_dup3, .family = CallFamily::path, .path = PathCall::dup_to},
    MeteredCall{.number = SYS_close, .family = CallFamily::path, .path = PathCall::close},
};

// Notified by their arguments (os/kernel/seccomp_program.hpp).
constexpr std::array kConfiningCalls = {
    MeteredCall{.number = SYS_prctl, .family = CallFamily::confine},
    MeteredCall{.number = SYS_seccomp, .family = CallFamily::confine},
};

template <std::size_t N>
constexpr std::array<int, N> numbers_of(const std::array<MeteredCall, N>& calls) {
  std::array<int, N> numbers = {};
  for (std::size_t i = 0; i < N; ++i) numbers[i] = calls[i].number;
  return numbers;
}

constexpr auto kNumbers = numbers_of(kCalls);
constexpr auto kPathNumbers = numbers_of(kPathCalls);

// Indexed by number, so that a notification's call is found by one look-up.
constexpr std::size_t kTableSize = 512;
constexpr auto kByNumber = [] {
  std::array<const MeteredCall*, kTableSize> table = {};
  for (const auto& call : kCalls) table[static_cast<std::size_t>(call.number)] = &call;
  for (const auto& call : kPathCalls) table[static_cast<std::size_t>(call.number)] = &call;
  for (const auto& call : kConfiningCalls) table[static_cast<std::size_t>(call.number)] = &call;
  return table;
}();

}  // namespace

std::span<const int> harmless_calls() { return kNumbers; }
std::span<const int> path_calls() { return kPathNumbers; }

const MeteredCall* find_metered_call(std::int32_t number) {
  const auto index = static_cast<std::size_t>(number);
  return number >= 0 && index < kTableSize ? kByNumber[index] : nullptr;
}

}  // namespace dpm
