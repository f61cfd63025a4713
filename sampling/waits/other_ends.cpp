#include "sampling/waits/other_ends.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <set>
#include <sstream>

#include "os/kernel/open_descriptors.hpp"
#include "os/kernel/process_files.hpp"
#include "os/kernel/socket_diagnosis.hpp"
#include "os/local_clock.hpp"
#include "os/read_file.hpp"
#include "sampling/states/descriptor_kind.hpp"

namespace dpm::sampling {
namespace {

constexpr std::int64_t kBetweenLooksNs = 500'000'000;  // a look at all processes takes some milliseconds

std::string link_of(std::uint32_t thread, int descriptor) {
  std::array<char, 256> bytes;
  const ssize_t length =
      ::readlink(fmt::format("/proc/{}/fd/{}", thread, descriptor).c_str(), bytes.data(), bytes.size());
  return length <= 0 ? "" : std::string(bytes.data(), static_cast<std::size_t>(length));
}

bool is_channel(std::string_view link) { return link.starts_with("socket:[") || link.starts_with("pipe:["); }

std::uint64_t inode_of(std::string_view link) {
  std::uint64_t inode = 0;
  const auto begin = link.find('[') + 1;
  std::from_chars(link.data() + begin, link.data() + link.size(), inode);
  return inode;
}

std::string socket_link(std::uint64_t inode) { return fmt::format("socket:[{}]", inode); }

// Of what is not a channel: "anon_inode:[timerfd]" is a timerfd.
std::string thing_text(std::string_view link) {
  const DescriptorKind kind = kind_of_link(link);
  return kind == DescriptorKind::file ? std::string(link) : std::string(name_of(kind));
}

bool is_due(std::int64_t& last_ns) {
  const std::int64_t now_ns = steady_clock_ns();
  if (last_ns != 0 && now_ns - last_ns < kBetweenLooksNs) return false;
  last_ns = now_ns;
  return true;
}

// The kernel prints addresses as words of the machine.
std::string plain_address(std::string_view hexadecimal) {
  constexpr std::string_view kVersion4In6 = "0000000000000000FFFF0000";
  return std::string(hexadecimal.starts_with(kVersion4In6) ? hexadecimal.substr(kVersion4In6.size()) : hexadecimal);
}

}  // namespace

std::string address_text(std::string_view hexadecimal) {
  const auto colon = hexadecimal.find(':');
  if (colon == std::string_view::npos) return "";
  const std::string_view address = hexadecimal.substr(0, colon);
  std::uint32_t port = 0;
  std::from_chars(hexadecimal.data() + colon + 1, hexadecimal.data() + hexadecimal.size(), port, 16);
  std::array<std::uint32_t, 4> words = {};
  for (std::size_t i = 0; i < words.size() && i * 8 + 8 <= address.size(); ++i)
    std::from_chars(address.data() + i * 8, address.data() + i * 8 + 8, words[i], 16);
  const bool is_short = address.size() == 8;
  std::array<char, INET6_ADDRSTRLEN> text = {};
  ::inet_ntop(is_short ? AF_INET : AF_INET6, words.data(), text.data(), text.size());
  return is_short ? fmt::format("{}:{}", text.data(), port) : fmt::format("[{}]:{}", text.data(), port);
}

std::string OtherEnds::of(std::uint32_t thread, int descriptor) {
  const std::string link = link_of(thread, descriptor);
  if (link.empty()) return "";
  if (!is_channel(link)) return thing_text(link);
  const auto status = read_status(thread);
  if (!status) return "";
  return link.starts_with("pipe:") ? owners_of(link, status->pid) : of_socket(status->pid, link);
}

std::string OtherEnds::of_socket(std::uint32_t pid, const std::string& link) {
  if (const std::uint64_t peer = unix_peer_inode(inode_of(link)).value_or(0); peer != 0)
    return owners_of(socket_link(peer), pid);
  const TcpSocket* socket = tcp_socket(pid, link);
  if (socket == nullptr) return "";
  if (socket->listens) return "new connections to " + address_text(socket->local);
  const auto other = tcp_by_addresses_.find(socket->peer + " " + socket->local);
  const std::string owners = other == tcp_by_addresses_.end() ? "" : owners_of(other->second, pid);
  return owners.empty() ? address_text(socket->peer) : owners;
}

std::string OtherEnds::owners_of(const std::string& link, std::uint32_t but_pid) {
  std::string known = known_owners(link, but_pid);
  if (!known.empty() || !is_due(owners_found_ns_)) return known;
  find_owners();
  return known_owners(link, but_pid);
}

std::string OtherEnds::known_owners(const std::string& link, std::uint32_t but_pid) const {
  const auto found = owners_.find(link);
  if (found == owners_.end()) return "";
  std::set<std::string> names;
  for (const Owner& owner : found->second)
    if (owner.pid != but_pid) names.insert(owner.name);
  if (names.empty()) return found->second.empty() ? "" : "itself";
  return fmt::format("{}", fmt::join(names, ", "));
}

void OtherEnds::find_owners() {
  owners_.clear();
  for (const std::uint32_t pid : read_process_ids()) {
    std::string name;
    for (const int descriptor : read_descriptor_numbers(pid)) {
      const std::string link = link_of(pid, descriptor);
      if (!is_channel(link)) continue;
      if (name.empty()) name = read_command_name(pid, pid);
      auto& owners = owners_[link];
      if (owners.empty() || owners.back().pid != pid) owners.push_back({pid, name});
    }
  }
}

const OtherEnds::TcpSocket* OtherEnds::tcp_socket(std::uint32_t pid, const std::string& link) {
  if (!tcp_.contains(link) && is_due(tcp_found_ns_)) find_tcp(pid);
  const auto found = tcp_.find(link);
  return found == tcp_.end() ? nullptr : &found->second;
}

// "0: 0100007F:1F90 00000000:0000 0A ...": number, local and other address, state, and as the tenth word the inode.
void OtherEnds::find_tcp(std::uint32_t pid) {
  tcp_.clear();
  tcp_by_addresses_.clear();
  for (const char* file : {"tcp", "tcp6"}) {
    std::istringstream lines(read_file(fmt::format("/proc/{}/net/{}", pid, file)));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::array<std::string, 10> word;
      for (std::string& one : word) words >> one;
      if (!words || word[0].empty() || word[0].back() != ':') continue;
      const TcpSocket socket{plain_address(word[1]), plain_address(word[2]), word[3] == "0A"};
      const std::string link = "socket:[" + word[9] + "]";
      tcp_[link] = socket;
      if (!socket.listens) tcp_by_addresses_[socket.local + " " + socket.peer] = link;
    }
  }
}

}  // namespace dpm::sampling
