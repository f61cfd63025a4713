// From records of the kernel's programs to events, in the words of backends/linux/calls. Pure but for names of processes, which
// are read from /proc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "backends/linux/bpf/followed_files.hpp"
#include "backends/linux/bpf/followed_threads.hpp"
#include "backends/linux/bpf/unnamed_senders.hpp"
#include "backends/linux/calls/meter.hpp"

namespace dpm {

class RecordTranslator {
 public:
  RecordTranslator(Meter& meter, const FollowedThreads::Program& program, std::int64_t clock_offset_ns);

  // In order of time.
  void take(std::span<const std::byte> record);

  // A connection that was begun is not known until its socket is used, nor the sender of a datagram before its send. Of a connection that
  // failed, and of a sender outside, what the thread has done since goes on now.
  void give_up_old(std::int64_t now_ns);

  FollowedThreads& threads() { return threads_; }
  // How many tasks are runnable on this machine, by the last look.
  void set_load(std::uint16_t runnable) { load_ = runnable; }
  // Rings have refused records: what is missing in streams is a GAP at once.
  void some_are_lost() { some_are_lost_ = true; }
  std::uint64_t records() const { return records_; }
  // Of threads, sockets or pipes whose description was lost.
  std::uint64_t events_not_understood() const { return events_not_understood_; }

 private:
  struct Seen;
  void take_message(const dpm_record& record, const std::string& peer);
  Call call_of(const dpm_record& record, FollowedThread& thread, std::int64_t at_ns) const;
  bool finds_channel(Seen& seen, const Call& call);
  void asked(const Seen& seen);
  void moved(const Seen& seen);
  void moved_datagrams(const Seen& seen, const Call& call);
  void moved_datagram(const Seen& seen, const Call& call, std::uint64_t bytes);
  void changed_path(const Seen& seen);
  void hands_over(const Seen& seen);

  Meter& meter_;
  FollowedThreads threads_;
  FollowedFiles files_;
  UnnamedSenders senders_;
  std::uint16_t load_ = 0;
  bool some_are_lost_ = false;
  std::uint64_t records_ = 0, events_not_understood_ = 0;
};

}  // namespace dpm
