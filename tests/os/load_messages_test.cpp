#include "os/load_messages.hpp"

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

int say(const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  const int done = LoadMessages::keep(format, values);
  va_end(values);
  return done;
}

// As libbpf 1.1 prints them, on Linux 6.1 and 6.18.
TEST_CASE("load messages: the last line of the verifier's log is the reason", "[os]") {
  CHECK(reason_in_load_messages("libbpf: prog 'on_waking': BPF program load failed: Permission denied\n"
                                "libbpf: prog 'on_waking': -- BEGIN PROG LOAD LOG --\n"
                                "0: R1=ctx() R10=fp0\n"
                                "4: (61) r0 = *(u32 *)(r1 +0)\n"
                                "R1 invalid mem access 'scalar'\n"
                                "processed 5 insns (limit 1000000) max_states_per_insn 0 total_states 0\n"
                                "-- END PROG LOAD LOG --\n"
                                "libbpf: prog 'on_waking': failed to load: -13\n"
                                "libbpf: failed to load object 'meter_programs'\n") ==
        "program on_waking: R1 invalid mem access 'scalar'");
}

TEST_CASE("load messages: a member that the kernel's type lacks is named", "[os]") {
  CHECK(reason_in_load_messages("libbpf: prog 'on_waking': BPF program load failed: Invalid argument\n"
                                "libbpf: prog 'on_waking': -- BEGIN PROG LOAD LOG --\n"
                                "1: <invalid CO-RE relocation>\n"
                                "failed to resolve CO-RE relocation <byte_off> [6] struct task_struct.not_there (0:1 @ "
                                "offset 4)\n"
                                "processed 2 insns (limit 1000000) max_states_per_insn 0 total_states 0\n"
                                "-- END PROG LOAD LOG --\n"
                                "libbpf: prog 'on_waking': failed to load: -22\n"
                                "libbpf: failed to load object 'meter_programs'\n") ==
        "program on_waking: failed to resolve CO-RE relocation <byte_off> [6] struct task_struct.not_there (0:1 @ "
        "offset 4)");
}

TEST_CASE("load messages: a hook that the kernel lacks or refuses is named", "[os]") {
  CHECK(reason_in_load_messages("libbpf: prog 'on_sent': failed to find kernel BTF type ID of 'sock_send_length': -3\n"
                                "libbpf: prog 'on_sent': failed to prepare load attributes: -3\n"
                                "libbpf: prog 'on_sent': failed to load: -3\n"
                                "libbpf: failed to load object 'meter_programs'\n") ==
        "program on_sent: failed to find kernel BTF type ID of 'sock_send_length': -3");
  CHECK(reason_in_load_messages(
            "libbpf: prog 'on_sent_inet': BPF program load failed: Operation not permitted\n"
            "libbpf: permission error while running as root; try raising 'ulimit -l'? current value: 8.0 MiB\n"
            "libbpf: prog 'on_sent_inet': failed to load: -1\n"
            "libbpf: failed to load object 'meter_programs'\n") ==
        "program on_sent_inet: BPF program load failed: Operation not permitted");
}

TEST_CASE("load messages: what concerns no program is printed as it is", "[os]") {
  CHECK(reason_in_load_messages("libbpf: extern (func ksym) 'bpf_not_there': not found in kernel or module BTFs\n"
                                "libbpf: failed to load object 'meter_programs'\n") ==
        "extern (func ksym) 'bpf_not_there': not found in kernel or module BTFs");
  CHECK(reason_in_load_messages(
            "libbpf: Error in bpf_create_map_xattr(odd):Invalid argument(-22). Retrying without BTF.\n"
            "libbpf: map 'odd': failed to create: Invalid argument(-22)\n"
            "libbpf: failed to load object 'meter_programs'\n") ==
        "map 'odd': failed to create: Invalid argument(-22)");
  CHECK(reason_in_load_messages("libbpf: Error in bpf_object__probe_loading():Operation not permitted(1).\n"
                                "libbpf: failed to load object 'probes'\n"
                                "libbpf: failed to load BPF skeleton 'probes': -1\n") ==
        "Error in bpf_object__probe_loading():Operation not permitted(1).");
  CHECK(reason_in_load_messages("").empty());
  CHECK(reason_in_load_messages("libbpf: failed to load object 'meter_programs'\n").empty());
}

TEST_CASE("load messages: they are kept while an object of this thread lives, the innermost", "[os]") {
  CHECK(say("lost %d\n", 1) == 0);
  const LoadMessages outer;
  {
    const LoadMessages inner;
    say("libbpf: map '%s': %s\n", "odd", "failed");
    CHECK(inner.reason() == "map 'odd': failed");
  }
  CHECK(outer.reason().empty());
  say("libbpf: map '%s': %s\n", "even", "failed");
  CHECK(outer.reason() == "map 'even': failed");
}

}  // namespace
}  // namespace dpm
