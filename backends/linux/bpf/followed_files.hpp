// The sockets, pipes and eventfds that metered threads use, by the numbers that records have for them.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "backends/linux/bpf/kernel_record.h"
#include "backends/linux/calls/meter.hpp"

namespace dpm {

class FollowedFiles {
 public:
  explicit FollowedFiles(Conversations& conversations) : conversations_(conversations) {}

  void take(const dpm_socket_record& record);
  void take(const dpm_pipe_record& record);

  // nullptr if its description was lost, or it does not carry messages.
  Socket* socket(std::uint32_t number) { return conversations_.find(number); }
  // It was described, and no operation of it is an event: netlink, a stream that is not connected.
  bool carries_none(std::uint32_t number) const { return without_messages_.contains(number); }
  Flow* pipe(std::uint32_t number);
  Flow* eventfd(std::uint32_t number, std::uint32_t pid);
  bool knows_pipe(std::uint32_t number) { return find_pipe(number) != nullptr; }  // or eventfd

 private:
  struct Pipe {
    std::uint64_t device = 0, inode = 0;
  };
  const Pipe* find_pipe(std::uint32_t number);
  void remember(std::uint32_t number, const Pipe& pipe);
  void remember_without_messages(std::uint32_t number);

  Conversations& conversations_;
  // The kernel's programs keep 16384 pipes, and give one that comes back later another number. So one that was not used
  // while four times as many others were is forgotten.
  static constexpr std::size_t kPipesMax = 65536;
  std::unordered_map<std::uint32_t, Pipe> pipes_, older_pipes_;
  std::unordered_set<std::uint32_t> without_messages_;
};

// "127.0.0.1:80", as describe_socket() names it; empty if there is none.
std::string name_of_address(const dpm_address& address);
std::string name_of_address(const dpm_path_address& address);

}  // namespace dpm
