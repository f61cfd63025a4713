#include "backends/linux/audit/counts.hpp"

namespace dpm::audit {

const char* to_string(Carrier carrier) {
  switch (carrier) {
    case Carrier::tcp:
      return "TCP";
    case Carrier::udp:
      return "UDP";
    case Carrier::unix_stream:
      return "UNIX streams";
    case Carrier::unix_datagram:
      return "UNIX datagrams";
    case Carrier::pipe:
      return "pipes";
    case Carrier::eventfd:
      return "eventfds";
    case Carrier::other:
      break;
  }
  return "other sockets";
}

const char* to_string(Direction direction) { return direction == Direction::sent ? "sent" : "received"; }

bool has_datagrams(Carrier carrier) { return carrier == Carrier::udp || carrier == Carrier::unix_datagram; }

}  // namespace dpm::audit
