// One thread that computes, makes no system call, and would see it if a single one of its registers were changed.
//
//     computing_target        prints "computing", computes until it gets SIGUSR1 and a little longer, and reports
//                             what went wrong
//     computing_target rseq   does so in restartable sequences: one that was disturbed and not restarted is wrong
#include <sys/rseq.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

// Loads every register that a program may use freely with a value of its own, runs a loop that depends on all of them
// and on the flags, and returns their sum.
std::uint64_t churn(std::uint64_t rounds) {
  std::uint64_t sum = 0;
  asm volatile(
      "mov %[rounds], %%rcx\n"
      "mov $1, %%rax\n mov $3, %%rdx\n mov $5, %%rsi\n mov $7, %%rdi\n"
      "mov $11, %%r8\n mov $13, %%r9\n mov $17, %%r10\n mov $19, %%r11\n"
      "mov $23, %%r12\n mov $29, %%r13\n mov $31, %%r14\n mov $37, %%r15\n mov $41, %%rbx\n"
      "clc\n"
      "1:\n"
      // The carry goes through all additions, and over the end of the loop: lea and jrcxz leave the flags alone.
      "adc %%rdx, %%rax\n adc %%rsi, %%rdx\n adc %%rdi, %%rsi\n adc %%r8, %%rdi\n"
      "adc %%r9, %%r8\n adc %%r10, %%r9\n adc %%r11, %%r10\n adc %%r12, %%r11\n"
      "adc %%r13, %%r12\n adc %%r14, %%r13\n adc %%r15, %%r14\n adc %%rbx, %%r15\n adc %%rax, %%rbx\n"
      "lea -1(%%rcx), %%rcx\n"
      "jrcxz 2f\n"
      "jmp 1b\n"
      "2:\n"
      "add %%rdx, %%rax\n add %%rsi, %%rax\n add %%rdi, %%rax\n add %%r8, %%rax\n add %%r9, %%rax\n"
      "add %%r10, %%rax\n add %%r11, %%rax\n add %%r12, %%rax\n add %%r13, %%rax\n add %%r14, %%rax\n"
      "add %%r15, %%rax\n add %%rbx, %%rax\n"
      : "=&a"(sum)
      : [rounds] "m"(rounds)
      : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rbx", "cc");
  return sum;
}

volatile std::sig_atomic_t told_to_end = 0;

// Some more rounds after that, so that some are sure to be made by whatever has become of the thread.
bool is_over() {
  static int rounds_left = 20;
  return told_to_end != 0 && rounds_left-- == 0;
}

// A restartable sequence that takes a while. 0: finished undisturbed; 1: it was restarted, as it must be when it was
// disturbed; 2: it was disturbed (the kernel has forgotten it) and finished all the same.
int sequence(struct rseq* area) {
  static_assert(sizeof(rseq_cs) == 32);
  int outcome = 0;
  asm volatile(
      ".pushsection __rseq_cs, \"aw\"\n"
      ".balign 32\n"
      "3: .long 0, 0\n .quad 1f, 2f - 1f, 4f\n"
      ".popsection\n"
      "lea 3b(%%rip), %%rax\n"
      "mov %%rax, %[description]\n"
      "1:\n"
      "mov $200000, %%rcx\n"
      "5: dec %%rcx\n jnz 5b\n"
      "cmpq $0, %[description]\n"
      "2:\n"
      "mov $0, %[outcome]\n"
      "jne 6f\n"
      "mov $2, %[outcome]\n"
      "jmp 6f\n"
      ".byte 0x0f, 0xb9, 0x3d\n .long %c[signature]\n"
      "4:\n"
      "mov $1, %[outcome]\n"
      "6:\n"
      : [outcome] "=&r"(outcome), [description] "+m"(area->rseq_cs)
      : [signature] "i"(RSEQ_SIG)
      : "rax", "rcx", "cc", "memory");
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGUSR1, [](int) { told_to_end = 1; });
  const bool by_sequences = argc == 2 && std::strcmp(argv[1], "rseq") == 0;
  std::printf("computing\n");
  std::fflush(stdout);
  std::uint64_t wrong = 0, done = 0;
  if (by_sequences) {
    auto* area = reinterpret_cast<struct rseq*>(static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset);
    for (; !is_over(); ++done) wrong += sequence(area) == 2;
  } else {
    const std::uint64_t expected = churn(1'000'000);
    for (; !is_over(); ++done) wrong += churn(1'000'000) != expected;
  }
  std::printf("%s, %llu wrong\n", done > 10 ? "done" : "nothing done", static_cast<unsigned long long>(wrong));
}
