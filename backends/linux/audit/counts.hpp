// What was moved, as two ledgers have it: the kernel's, and the trace's. Both are brought into this form, so that they can be compared.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dpm::audit {

enum class Carrier : std::uint8_t { tcp, udp, unix_stream, unix_datagram, pipe, eventfd, other };
enum class Direction : std::uint8_t { sent, received };

const char* to_string(Carrier carrier);      // "TCP"
const char* to_string(Direction direction);  // "sent"
bool has_datagrams(Carrier carrier);         // their number is compared, too

struct Moved {
  std::uint64_t bytes = 0;       // of an eventfd: units
  std::uint64_t operations = 0;  // of the trace: events
  std::uint64_t cut = 0;         // datagrams for which the program had too little room
  std::uint64_t gap_bytes = 0;   // that the trace itself reports as missing
  std::uint64_t passed = 0;      // urgent bytes of TCP that no receive of the stream gives

  Moved& operator+=(const Moved& more) {
    bytes += more.bytes;
    operations += more.operations;
    cut += more.cut;
    gap_bytes += more.gap_bytes;
    passed += more.passed;
    return *this;
  }
};

struct Way {
  Carrier carrier = Carrier::other;
  Direction direction = Direction::sent;
  auto operator<=>(const Way&) const = default;
};

// What moves by a pipe, socket or eventfd, by the name of the object on the process's side: "127.0.0.1:80 > 127.0.0.1:5000",
// "socket:[123]", "pipe:[123]", "port 53", "eventfd 7", "family 16, protocol 0".
using Objects = std::map<std::string, Moved>;

struct Process {
  std::uint32_t pid = 0;
  std::uint64_t began_ns = 0;  // since boot; of a trace, perhaps to a tick of 10 ms. 0: not known
  std::string name;
  std::optional<std::uint64_t> cpu_ns;  // to its end
  std::map<Way, Objects> moved;

  // The kernel's count of all read and write calls, also of files and terminals, but not of recv and send: /proc/PID/io.
  struct Io {
    std::uint64_t read_bytes = 0, written_bytes = 0, read_calls = 0, written_calls = 0;
  };
  std::optional<Io> io;
};

// The kernel's last counts of one end of a TCP connection, whatever processes used it.
struct Connection {
  std::uint64_t written = 0;       // bytes that were sent for the first time, or wait to be sent
  std::uint64_t acknowledged = 0;  // the same, with the bytes that SYN and FIN count as
  std::uint64_t received = 0;      // and taken by a program, with the FIN
  std::uint64_t sockets = 0;       // with these addresses, one after the other
};
using Connections = std::map<std::string, Connection>;  // by name, as in Objects

}  // namespace dpm::audit
