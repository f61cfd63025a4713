#include "backends/linux/calls/datagram_accounts.hpp"

#include <algorithm>
#include <utility>

namespace dpm {

DatagramAccount& DatagramAccounts::of(const ChannelEnd& receiver) {
  std::vector<Named>& at_port = by_port_[receiver.port];
  const auto leads_here = [&](const Named& named) { return may_be_same_(named.name, receiver); };
  auto first = std::find_if(at_port.begin(), at_port.end(), leads_here);
  if (first == at_port.end()) {
    if (count_ >= kAccountsMax) {
      forget_all();
      return of(receiver);
    }
    ++count_;
    at_port.push_back({receiver, {}});
    return at_port.back().account;
  }
  if (is_any_address(receiver.address)) first->name = receiver;
  for (auto other = std::find_if(first + 1, at_port.end(), leads_here); other != at_port.end();
       other = std::find_if(first + 1, at_port.end(), leads_here)) {
    first->account.merge(std::move(other->account));
    at_port.erase(other);
    --count_;
  }
  return first->account;
}

std::optional<DatagramAccount::Verdict> DatagramAccounts::close(const ChannelEnd& receiver, std::uint64_t socket,
                                                                std::uint32_t unread_bytes) {
  const auto at_port = by_port_.find(receiver.port);
  if (at_port == by_port_.end()) return std::nullopt;
  std::vector<Named>& named = at_port->second;
  const auto found =
      std::find_if(named.begin(), named.end(), [&](const Named& one) { return one.account.holds(socket); });
  if (found == named.end()) return std::nullopt;
  const auto verdict = found->account.close(socket, unread_bytes);
  if (found->account.is_empty()) {
    named.erase(found);
    --count_;
  }
  if (named.empty()) by_port_.erase(at_port);
  return verdict;
}

void DatagramAccounts::give_up() {
  for (auto& [port, named] : by_port_)
    for (Named& one : named) one.account.give_up();
}

void DatagramAccounts::forget_all() {
  give_up();
  DatagramAccount::Verdict all;
  for (const auto& [port, named] : by_port_)
    for (const Named& one : named) all.unchecked += one.account.verdict().unchecked;
  forgotten_.push_back(all);
  by_port_.clear();
  count_ = 0;
}

std::vector<DatagramAccount::Verdict> DatagramAccounts::finish() {
  std::vector<DatagramAccount::Verdict> verdicts = std::exchange(forgotten_, {});
  for (const auto& [port, named] : by_port_)
    for (const Named& one : named) verdicts.push_back(one.account.verdict());
  by_port_.clear();
  count_ = 0;
  return verdicts;
}

}  // namespace dpm
