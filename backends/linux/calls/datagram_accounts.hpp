// The accounts of UDP (datagram_account.hpp), by the name that datagrams are sent to. Their number is bounded, because
// nothing tells when a name goes out of use on which no metered process listens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "backends/linux/calls/datagram_account.hpp"
#include "model/channel_end.hpp"

namespace dpm {

class DatagramAccounts {
 public:
  static constexpr std::size_t kAccountsMax = 16384;

  // Whether two names may lead to one socket.
  using MayBeSame = std::function<bool(const ChannelEnd&, const ChannelEnd&)>;
  explicit DatagramAccounts(MayBeSame may_be_same) : may_be_same_(std::move(may_be_same)) {}

  // The accounts of several names are merged as soon as one name leads to all of them.
  DatagramAccount& of(const ChannelEnd& receiver);
  // A verdict if this was the last socket of the name.
  std::optional<DatagramAccount::Verdict> close(const ChannelEnd& receiver, std::uint64_t socket,
                                                std::uint32_t unread_bytes);
  void give_up();
  // The verdicts of all accounts, forgotten ones included.
  std::vector<DatagramAccount::Verdict> finish();

 private:
  struct Named {
    ChannelEnd name;
    DatagramAccount account;
  };
  void forget_all();

  MayBeSame may_be_same_;
  std::unordered_map<std::uint16_t, std::vector<Named>> by_port_;
  std::size_t count_ = 0;
  std::vector<DatagramAccount::Verdict> forgotten_;
};

}  // namespace dpm
