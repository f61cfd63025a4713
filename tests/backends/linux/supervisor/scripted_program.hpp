// A program on a scripted kernel: what its calls become, and what happens between them, is decided by the test.
#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <vector>

#include "backends/linux/supervisor/call_handler.hpp"
#include "tests/backends/linux/supervisor/scripted_kernel.hpp"

namespace dpm {

inline constexpr std::uint32_t kServer = 100, kWorker = 101, kChild = 200, kGrandchild = 300, kReaders = 1000;
inline constexpr std::int32_t kFd = 5;

// A metered program of one thread, which a test gives threads, files and calls.
struct Program {
  ScriptedKernel kernel;
  UniqueFd epoll{::epoll_create1(EPOLL_CLOEXEC)};
  NotificationSlots slots = NotificationSlots::create().value();
  Shared shared{kernel, kernel, kernel, kernel, MeterClock(kernel, 0)};
  CallHandler handler{
      shared, {.program = {.pid = kServer, .command = "server", .flags = MeterFlags::all()}}, slots, epoll.get(), [] {
      }};
  std::vector<Event> events;
  std::uint64_t last_id = 0;
  std::int32_t readers = 0;

  Program() {
    kernel.process(kServer);
    handler.tracker().register_program();
  }

  ScriptedFile& tcp() {
    ScriptedFile& file = kernel.tcp(1, "127.0.0.1:80", "127.0.0.1:1000");
    kernel.processes[kServer].files[kFd] = &file;
    return file;
  }
  ScriptedFile& udp() {
    ScriptedFile& file = kernel.udp(2, "127.0.0.1:53");
    kernel.processes[kServer].files[kFd] = &file;
    return file;
  }
  ScriptedFile& pipe() {
    ScriptedFile& file = kernel.file(DescriptorIdentity::Kind::pipe, 3);
    kernel.processes[kServer].files[kFd] = &file;
    return file;
  }
  void start_worker() {
    kernel.thread(kWorker, kServer);
    kernel.announce(ProcessChange::Kind::fork, kWorker, kServer, kServer);
    handler.tracker().read_news();
  }
  // Each with a file of its own, which only it reads.
  struct Reader {
    std::uint32_t tid = 0;
    std::int32_t fd = 0;
    ScriptedFile* file = nullptr;
  };
  Reader start_reader(DescriptorIdentity::Kind kind) {
    const auto number = static_cast<std::uint32_t>(++readers);
    Reader reader{kReaders + number, kFd + readers};
    kernel.thread(reader.tid, kServer);
    kernel.announce(ProcessChange::Kind::fork, reader.tid, kServer, kServer);
    handler.tracker().read_news();
    reader.file = kind == DescriptorIdentity::Kind::pipe
                      ? &kernel.file(kind, 1000 + number)
                      : &kernel.tcp(1000 + number, "127.0.0.1:80", "127.0.0.1:" + std::to_string(1000 + number));
    kernel.processes[kServer].files[reader.fd] = reader.file;
    return reader;
  }
  std::uint64_t read(const Reader& reader, std::uint64_t room = 4096) {
    return call(reader.tid, SYS_read, {static_cast<std::uint64_t>(reader.fd), 0x2000, room});
  }
  void takes(const Reader& reader, std::uint32_t bytes) {
    reader.file->bytes_are_taken(bytes);
    kernel.threads[reader.tid].transferred.read_bytes += bytes;
  }
  // The read of the eventfd is over, and its thread makes another call, by which that shows.
  void units_are_taken(std::uint32_t tid, ScriptedFile& file) {
    constexpr std::uint64_t kNotOpen = 99;
    file.units = 0;
    call(tid, SYS_write, {kNotOpen, 0x2000, 8});
  }
  void end_worker() {
    kernel.threads.erase(kWorker);
    kernel.announce(ProcessChange::Kind::exit, kWorker, kServer);
    handler.tracker().read_news();
  }
  void start_child() {
    kernel.process(kChild, kServer);
    kernel.announce(ProcessChange::Kind::fork, kChild, kChild, kServer);
    handler.tracker().read_news();
  }
  void end_child() {
    kernel.threads.erase(kChild);
    kernel.processes[kChild].is_dead = true;
    kernel.announce(ProcessChange::Kind::exit, kChild, kChild);
    handler.tracker().read_news();
  }

  // ---- calls, by their number of the notification
  std::uint64_t call(std::uint32_t tid, int number, const std::array<std::uint64_t, 6>& arguments) {
    kernel.now_ns += 1000;
    Notification notification;
    notification.id = ++last_id;
    notification.tid = tid;
    notification.call = number;
    notification.arch = kNativeArch;
    notification.pc = 0x1000;
    notification.arguments = arguments;
    kernel.notify(notification.id);
    if (handler.handle(notification) == CallOutcome::let_go && !kernel.let_go(notification.id))
      handler.was_taken_away(notification);
    return notification.id;
  }
  std::uint64_t receive(std::uint32_t tid = kServer, std::uint64_t room = 4096, int flags = 0) {
    return call(tid, SYS_recvfrom, {kFd, 0x2000, room, static_cast<std::uint64_t>(flags)});
  }
  std::uint64_t send(std::uint64_t bytes) { return call(kServer, SYS_sendto, {kFd, 0x2000, bytes}); }
  std::uint64_t write(std::uint64_t bytes) { return call(kServer, SYS_write, {kFd, 0x2000, bytes}); }
  std::uint64_t wait_for_any_child(int options = 0) {
    return call(kServer, SYS_wait4, {UINT64_MAX, 0, static_cast<std::uint64_t>(options)});
  }

  // A signal takes the next call away after it has been looked at and before it is let go.
  void interrupt_next() { kernel.take_away(last_id + 1); }

  bool waits(std::uint64_t id) const { return kernel.waits(id); }
  bool was_let_go(std::uint64_t id) const { return answer(id) == 0; }
  int answer(std::uint64_t id) const { return kernel.answers.contains(id) ? kernel.answers.at(id) : -1; }
  bool is_in_a_slot(std::uint64_t id) const {
    const auto all = slots.all();
    return std::any_of(all.begin(), all.end(), [id](const Notification& slot) { return slot.id == id; });
  }

  // Looks at held calls when data may have come for them.
  void attend() {
    kernel.now_ns += 1000;
    const auto looks = handler.held().take_to_inspect();
    std::array<epoll_event, 16> ready;
    const int count = ::epoll_wait(epoll.get(), ready.data(), ready.size(), 0);
    for (int i = 0; i < count; ++i) handler.held().fired(ready[static_cast<std::size_t>(i)].data.u64);
    for (const std::uint64_t watch : looks) handler.held().fired(watch);
  }

  // Everything that is still open is old.
  void look_around_later() {
    kernel.now_ns += 200'000'000;
    handler.look_around(kernel.now_ns);
  }

  std::vector<Event> of(EventType type) {
    const RecordBatch batch = shared.meter.take();
    events.insert(events.end(), batch.events.begin(), batch.events.end());
    std::vector<Event> found;
    std::copy_if(events.begin(), events.end(), std::back_inserter(found),
                 [type](const Event& event) { return event.type == type; });
    return found;
  }
  std::vector<std::uint32_t> lengths(EventType type) {
    std::vector<std::uint32_t> lengths;
    for (const Event& event : of(type)) lengths.push_back(event.length_bytes);
    return lengths;
  }
  std::size_t count(EventType type) { return of(type).size(); }
};

using Lengths = std::vector<std::uint32_t>;

}  // namespace dpm
