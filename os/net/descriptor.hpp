// A descriptor that can be waited for. Its owner reads and writes.
#pragma once

#include <functional>
#include <memory>

#include "os/net/io_context.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class Descriptor {
 public:
  Descriptor(asio::io_context& context, UniqueFd fd);
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();  // closes it

  int fd() const;

  // `then` is called once, and never after the descriptor is destroyed. A second call for the same direction replaces a
  // `then` that was not called yet.
  void when_readable(std::function<void()> then);
  void when_writable(std::function<void()> then);
  // For files of the kernel that tell changes (cgroup.events): when it has changed since it was last read.
  void when_changed(std::function<void()> then);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace dpm
