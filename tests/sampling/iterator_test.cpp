// Records of the kernel's iterator as what /proc would show.
#include <algorithm>

#include "sampling/iterator/kernel_symbols.hpp"
#include "sampling/iterator/task_looks.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

constexpr std::string_view kSymbols =
    "ffffffff81000000 T _stext\n"
    "ffffffff81000100 t do_poll.constprop.0\n"
    "ffffffff81000200 D some_data\n"
    "ffffffff81000300 T do_wait\n"
    "ffffffff82000000 T __sched_text_start\n"
    "ffffffff82000010 T schedule\n"
    "ffffffff82000100 T __sched_text_end\n"
    "ffffffff82000140 T __lock_text_start\n"
    "ffffffff82000150 T down_write\n"
    "ffffffff82000200 T __lock_text_end\n"
    "ffffffffc0000000 t bio_await\t[loop]\n";

TEST_CASE("iterator: the wait channel is the innermost function that is not of the scheduler or of locks",
          "[sampling]") {
  KernelSymbols symbols(kSymbols);
  CHECK(symbols.know_addresses());
  const auto channel = [&](std::vector<std::uint64_t> stack) { return symbols.wait_channel(stack); };
  CHECK(channel({0xffffffff82000020, 0xffffffff81000130, 0xffffffff81000310}) == "do_poll.constprop.0");
  CHECK(channel({0xffffffff82000020, 0xffffffff82000160, 0xffffffff81000310}) == "do_wait");
  // An address belongs to the function that begins before it; data are not functions.
  CHECK(channel({0xffffffff81000250}) == "do_poll.constprop.0");
  CHECK(channel({0xffffffffc0000008}) == "bio_await");
  CHECK(channel({0xffffffff82000020}) == "");
  CHECK(channel({}) == "");
  CHECK(channel({0x10}) == "");
}

TEST_CASE("iterator: symbols without addresses are known as such", "[sampling]") {
  CHECK_FALSE(KernelSymbols("0000000000000000 T _stext\n").know_addresses());
  CHECK_FALSE(KernelSymbols("").know_addresses());
  CHECK_FALSE(KernelSymbols("nothing of this form\n\n12").know_addresses());
}

TEST_CASE("iterator: letters are those of /proc", "[sampling]") {
  CHECK(letter_of(0) == 'R');
  CHECK(letter_of(0x1) == 'S');
  CHECK(letter_of(0x2) == 'D');
  CHECK(letter_of(0x102) == 'D');  // killable
  CHECK(letter_of(0x402) == 'I');
  CHECK(letter_of(0x104) == 'T');
  CHECK(letter_of(0x8) == 't');
  CHECK(letter_of(0x8000) == 'D');  // frozen
  CHECK(letter_of(0x1000) == 'D');
  CHECK(letter_of(0x80 | 0x20) == 'Z');
  CHECK(letter_of(0x80 | 0x10) == 'X');
}

TEST_CASE("iterator: only a thread that waits has a call and a wait channel", "[sampling]") {
  KernelSymbols symbols(kSymbols);
  dpm_task_record record = {.thread = 8, .process = 7, .threads = 2, .state = 1, .stack_frames = 1};
  record.call = 7;
  record.arguments[2] = 5;
  record.stack[0] = 0xffffffff81000310;
  record.began_ns = 2'000'000'000;
  const TaskLook waits = look_of(record, symbols);
  CHECK(waits.thread == 8);
  CHECK(waits.stat.threads == 2);
  CHECK(waits.call.number == 7);
  CHECK(waits.call.arguments[2] == 5);
  CHECK(waits.wchan == "do_wait");
  record.state = 0;
  const TaskLook runs = look_of(record, symbols);
  CHECK(runs.call.number == SystemCall::kUnknown);
  CHECK(runs.wchan == "");
  record.state = 1;
  record.stack_frames = 1000;  // never more than there is room for
  CHECK(look_of(record, symbols).wchan == "do_wait");
}

}  // namespace
}  // namespace dpm::sampling
