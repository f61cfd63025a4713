// eventfds: what one thread or process adds is sent, what another takes is received, in units.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

#include "tests/live/conformance/support/cases.hpp"

namespace dpm {
namespace {

constexpr auto kBytes = static_cast<long>(sizeof(std::uint64_t));

void adds(const Actor& actor, int fd, std::uint64_t units) {
  if (actor.result("write", write(fd, &units, sizeof units)) == kBytes)
    actor.expect("SEND", static_cast<long>(units), "event");
}

void takes(const Actor& actor, int fd) {
  actor.expect("RECEIVECALL", 0, "event");
  std::uint64_t units = 0;
  if (actor.result("read", read(fd, &units, sizeof units)) != kBytes) return;
  actor.expect("RECEIVE", static_cast<long>(units), "event");
  actor.says("takes " + std::to_string(units));
}

void alone(const Actor& actor) {
  const int fd = must(eventfd(0, EFD_NONBLOCK), "eventfd");
  takes(actor, fd);
  adds(actor, fd, 3);
  adds(actor, fd, 4);
  takes(actor, fd);
  takes(actor, fd);
  adds(actor, fd, 1000);
  takes(actor, fd);
}

void semaphore(const Actor& actor) {
  const int fd = must(eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE), "eventfd");
  adds(actor, fd, 3);
  for (int i = 0; i < 4; ++i) takes(actor, fd);
}

// The reader waits in its call for each of them.
void between_processes(const Actor& actor) {
  const int fd = must(eventfd(0, 0), "eventfd");
  const pid_t reader = actor.forks("reader", [fd](const Actor& reading) {
    for (int i = 0; i < 3; ++i) takes(reading, fd);
    return 0;
  });
  for (std::uint64_t units = 1; units <= 3; ++units) {
    until_waiting(reader, 60);
    adds(actor, fd, units);
  }
  actor.waits_for(reader, "reader");
}

// As event loops do: one thread waits in poll(), others wake it.
void between_threads(const Actor& actor) {
  const int fd = must(eventfd(0, EFD_NONBLOCK), "eventfd"), done = must(eventfd(0, 0), "eventfd");
  constexpr int kWakes = 20;
  std::thread loop = actor.threads("loop", [=](const Actor& looping) {
    for (int i = 0; i < kWakes; ++i) {
      pollfd item{fd, POLLIN, 0};
      poll(&item, 1, -1);
      takes(looping, fd);
      const std::uint64_t one = 1;
      must(static_cast<int>(write(done, &one, sizeof one)), "write");
      looping.expect("SEND", 1, "done");
    }
  });
  for (int i = 0; i < kWakes; ++i) {
    adds(actor, fd, 1);
    std::uint64_t units = 0;
    actor.expect("RECEIVECALL", 0, "done");
    must(static_cast<int>(read(done, &units, sizeof units)), "read");
    actor.expect("RECEIVE", static_cast<long>(units), "done");
  }
  loop.join();
}

void refused(const Actor& actor) {
  const int fd = must(eventfd(0, EFD_NONBLOCK), "eventfd");
  std::uint64_t units = UINT64_MAX - 1;
  adds(actor, fd, 1);
  actor.result("write of too much", write(fd, &units, sizeof units));
  actor.result("write of four bytes", write(fd, &units, 4));
  actor.result("read into four bytes", read(fd, &units, 4));
  takes(actor, fd);
}

constexpr std::array kCases = {
    Case{"alone", alone},
    Case{"semaphore", semaphore},
    Case{"between_processes", between_processes},
    Case{"between_threads", between_threads},
    Case{"refused", refused},
};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) { return dpm::play_case(dpm::kCases, argc, argv); }
