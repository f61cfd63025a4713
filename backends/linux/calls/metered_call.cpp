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
                .splice_flags = 5,
                .source = 0,
                .source_at = 1,
                .byte_count = 4},
    MeteredCall{.number = SYS_tee,
                .family = CallFamily::copy,
                .length = LengthForm::to_socket,
                .descriptor = 1,
                .splice_flags = 3,
                .source = 0},
    MeteredCall{.number = SYS_vmsplice, .family = CallFamily::give, .length = LengthForm::vector, .splice_flags = 3},
    MeteredCall{.number = SYS_mq_timedsend, .family = CallFamily::bypass, .bypass = Bypass::posix_queue},
    MeteredCall{.number = SYS_mq_timedreceive, .family = CallFamily::bypass, .bypass = Bypass::posix_queue},
    MeteredCall{.number = SYS_msgsnd, .family = CallFamily::bypass, .bypass = Bypass::sysv_queue},
    MeteredCall{.number = SYS_msgrcv, .family = CallFamily::bypass, .bypass = Bypass::sysv_queue},
    // Once in a program's life, so that a signal hardly ever meets them.
    MeteredCall{.number = SYS_io_setup, .family = CallFamily::bypass, .bypass = Bypass::aio_context},
    MeteredCall{.number = SYS_io_uring_setup, .family = CallFamily::bypass, .bypass = Bypass::ring},
    MeteredCall{.number = SYS_wait4, .family = CallFamily::child},
    MeteredCall{.number = SYS_waitid, .family = CallFamily::child},
};

constexpr std::array kPathCalls = {
    MeteredCall{.number = SYS_socket, .family = CallFamily::path, .path = PathCall::socket},
    MeteredCall{.number = SYS_socketpair, .family = CallFamily::path, .path = PathCall::pair},
    MeteredCall{.number = SYS_listen, .family = CallFamily::path, .path = PathCall::listen},
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

// asm/unistd_32.h: read, write, socketcall, readv, writev, sendfile, sendfile64, io_submit, mq_timedsend, mq_timedreceive, splice,
// tee, vmsplice, recvmmsg, sendmmsg, sendto, sendmsg, recvfrom, recvmsg, preadv2, pwritev2, recvmmsg_time64, mq_timed...64
constexpr std::array kOf32BitCode = {3,   4,   102, 145, 146, 187, 239, 248, 279, 280, 313, 315,
                                     316, 337, 345, 369, 370, 371, 372, 378, 379, 417, 418, 419};

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
std::span<const int> calls_of_32_bit_code() { return kOf32BitCode; }
std::span<const int> path_calls() { return kPathNumbers; }

const MeteredCall* find_metered_call(std::int32_t number) {
  const auto index = static_cast<std::size_t>(number);
  return number >= 0 && index < kTableSize ? kByNumber[index] : nullptr;
}

}  // namespace dpm
