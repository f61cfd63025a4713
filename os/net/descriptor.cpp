#include "os/net/descriptor.hpp"

#include "os/net/asio.hpp"

namespace dpm {

struct Descriptor::State {
  using Then = std::function<void()>;
  using Wait = asio::posix::descriptor_base::wait_type;

  State(asio::io_context& context, UniqueFd fd) : descriptor(context, fd.release()) {}

  static void wait(const std::shared_ptr<State>& state, Wait what, Then State::*member, Then then) {
    const bool waits = (*state).*member != nullptr;
    (*state).*member = std::move(then);
    if (waits) return;
    state->descriptor.async_wait(what, [state, member](AsioError failed) {
      const Then task = std::exchange((*state).*member, nullptr);
      if (task && is_ready(failed)) task();
    });
  }

  asio::posix::stream_descriptor descriptor;
  Then on_readable, on_writable, on_changed;
};

Descriptor::Descriptor(asio::io_context& context, UniqueFd fd)
    : state_(std::make_shared<State>(context, std::move(fd))) {}

Descriptor::~Descriptor() {
  state_->on_readable = state_->on_writable = state_->on_changed = nullptr;
  AsioError ignored;
  state_->descriptor.close(ignored);
}

int Descriptor::fd() const { return state_->descriptor.native_handle(); }

void Descriptor::when_readable(std::function<void()> then) {
  State::wait(state_, State::Wait::wait_read, &State::on_readable, std::move(then));
}
void Descriptor::when_writable(std::function<void()> then) {
  State::wait(state_, State::Wait::wait_write, &State::on_writable, std::move(then));
}
void Descriptor::when_changed(std::function<void()> then) {
  State::wait(state_, State::Wait::wait_error, &State::on_changed, std::move(then));
}

}  // namespace dpm
