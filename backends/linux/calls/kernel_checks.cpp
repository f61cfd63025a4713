#include "backends/linux/calls/kernel_checks.hpp"

#include <fmt/format.h>

#include "backends/linux/calls/flow_table.hpp"
#include "model/counted.hpp"
#include "model/unchecked.hpp"

namespace dpm {
void KernelChecks::ended(const Flow& flow) {
  if (flow.kind != ChannelKind::stream) return;
  for (const StreamPosition* end : {&flow.sent, &flow.received}) {
    Ends& unchecked = flow.exact ? tcp_ : others_;
    if (end->unchecked() > 0) ++unchecked.ends;
    unchecked.operations += end->unchecked();
    if (end->overstated_bytes() > 0) ++overstated_ends_;
    overstated_bytes_ += end->overstated_bytes();
  }
  const std::uint64_t sent = flow.sent.next(), received = flow.received.next();
  if (flow.exact || sent == 0 || received <= sent) return;
  ++surplus_streams_;
  surplus_bytes_ += received - sent;
}

void KernelChecks::datagrams(const DatagramAccount::Verdict& verdict) {
  datagrams_ += verdict.unchecked;
  datagram_sockets_ += verdict.unchecked > 0 ? 1 : 0;
  lost_datagrams_ += verdict.lost;
  lost_receivers_ += verdict.lost > 0 ? 1 : 0;
  surplus_datagrams_ += verdict.surplus;
  surplus_receivers_ += verdict.surplus > 0 ? 1 : 0;
}

std::vector<std::string> KernelChecks::warnings() const {
  std::vector<std::string> warnings;
  if (lost_datagrams_ > 0)
    warnings.push_back(fmt::format(
        "{} to {} were recorded as sent, and neither recorded as received nor dropped by the kernel: the GAP "
        "events say where",
        counted(lost_datagrams_, "datagram"), counted(lost_receivers_, "socket")));
  if (surplus_datagrams_ > 0)
    warnings.push_back(fmt::format(
        "{} were received or dropped at {} beyond the amount recorded as sent there: the GAP events say where",
        counted(surplus_datagrams_, "datagram"), counted(surplus_receivers_, "socket")));
  if (surplus_streams_ > 0)
    warnings.push_back(
        fmt::format("{} of {} were received beyond the amount seen to be sent there: some lengths are wrong, or an "
                    "unmetered program sent them",
                    counted(surplus_bytes_, "byte"), counted(surplus_streams_, "stream")));
  if (overstated_ends_ > 0)
    warnings.push_back(fmt::format("{} were recorded at {} of TCP connections beyond the count of the kernel",
                                   counted(overstated_bytes_, "byte"), counted(overstated_ends_, "end")));
  std::string unchecked;
  const auto add = [&unchecked](const std::string& what) { unchecked += (unchecked.empty() ? "" : "; ") + what; };
  if (datagrams_ > 0) add(counted(datagrams_, "datagram") + " on " + counted(datagram_sockets_, "socket"));
  if (tcp_.operations > 0)
    add("the length of the last " + counted(tcp_.operations, "operation") + " at " + counted(tcp_.ends, "end") +
        " of TCP connections, closed before they could be looked at again");
  if (others_.operations > 0)
    add("the length of " + counted(others_.operations, "operation") + " at " + counted(others_.ends, "end") +
        " of pipes, UNIX streams and eventfds");
  if (!unchecked.empty()) warnings.push_back(kNotCheckable + unchecked);
  return warnings;
}

}  // namespace dpm
