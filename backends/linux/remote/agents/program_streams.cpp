#include "backends/linux/remote/agents/program_streams.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace dpm {
namespace {

constexpr std::size_t kPieceBytesMax = 128 * 1024;

struct Pipe {
  UniqueFd read, write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("make a pipe to the program");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void do_not_wait(const UniqueFd& fd) { ::fcntl(fd.get(), F_SETFL, O_NONBLOCK); }

}  // namespace

ProgramStreams::ProgramStreams(EventLoop& loop, Handlers handlers)
    : loop_(loop), handlers_(std::move(handlers)), taken_at_(EventLoop::Clock::now()) {
  error_.is_error = true;
}

ProgramStreams::~ProgramStreams() {
  loop_.cancel(stall_timer_);
  close(output_);
  close(error_);
  close_input();
}

Result<ProgramStreams::ProgramEnds> ProgramStreams::open(const std::string& input_file) {
  ProgramEnds ends;
  if (input_file.empty()) {
    auto input = make_pipe();
    if (!input) return input.error();
    ends.input = std::move(input->read);
    input_ = std::move(input->write);
    do_not_wait(input_);
  } else {
    ends.input = UniqueFd(::open(input_file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!ends.input) return Error::from_errno("read the program's input from '" + input_file + "'");
  }
  auto output = make_pipe();
  auto error = make_pipe();
  if (!output || !error) return output ? error.error() : output.error();
  ends.output = std::move(output->write);
  ends.error = std::move(error->write);
  output_.fd = std::move(output->read);
  error_.fd = std::move(error->read);
  do_not_wait(output_.fd);
  do_not_wait(error_.fd);
  update();
  return ends;
}

Result<void> ProgramStreams::add_input(const std::string& bytes, bool end) {
  if (!input_ || input_ends_) return Error{"its standard input is a file, or has ended"};
  if (pending_input_.size() + bytes.size() > kInputBytesMax)
    return Error{"it has not read " + std::to_string(pending_input_.size()) +
                 " bytes of its standard input yet: send no more before it has"};
  pending_input_ += bytes;
  input_ends_ = end;
  write_input();
  return {};
}

void ProgramStreams::write_input() {
  while (!pending_input_.empty()) {
    const ssize_t length = ::write(input_.get(), pending_input_.data(), pending_input_.size());
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 && errno == EAGAIN) break;
    if (length < 0) return close_input();  // it does not read any more
    pending_input_.erase(0, static_cast<std::size_t>(length));
  }
  if (pending_input_.empty() && input_ends_) return close_input();
  const bool waits = !pending_input_.empty();
  if (waits == input_watched_) return;
  input_watched_ = waits;
  if (waits) {
    loop_.watch(input_.get(), EPOLLOUT, [this](std::uint32_t) { write_input(); });
  } else {
    loop_.forget(input_.get());
  }
}

void ProgramStreams::close_input() {
  if (!input_) return;
  if (std::exchange(input_watched_, false)) loop_.forget(input_.get());
  input_.reset();
  pending_input_.clear();
  pending_input_.shrink_to_fit();
}

// True if there may be more.
bool ProgramStreams::read_once(Source& source, bool keep_all) {
  char part[64 * 1024];
  const ssize_t length = ::read(source.fd.get(), part, sizeof part);
  if (length < 0 && errno == EINTR) return true;
  if (length < 0 && errno == EAGAIN) return false;
  if (length <= 0) {
    close(source);
    return false;
  }
  if (kept_.empty()) taken_at_ = EventLoop::Clock::now();
  const std::string_view bytes(part, static_cast<std::size_t>(length));
  // For a listener the program waits once the buffer is full (must_wait): what was read to fill it is not dropped.
  keep_all || has_patience() ? kept_.add_anyway(source.is_error, bytes) : kept_.add(source.is_error, bytes);
  return true;
}

void ProgramStreams::read(Source& source) {
  read_once(source, false);
  pump();
}

void ProgramStreams::drain(std::function<void()> then) {
  // Others may still write to these pipes, and faster than we read: what they hold now is enough.
  constexpr int kReadsMax = 32;
  for (Source* source : {&output_, &error_}) {
    for (int i = 0; i < kReadsMax && source->fd && read_once(*source, true); ++i) {
    }
  }
  when_drained_ = std::move(then);
  pump();
}

void ProgramStreams::pump() {
  while (!kept_.empty() && handlers_.may_send()) {
    handlers_.send(kept_.take(kPieceBytesMax));
    taken_at_ = EventLoop::Clock::now();
  }
  update();
  if (when_drained_ && (kept_.empty() || !has_patience())) std::exchange(when_drained_, nullptr)();
}

// With a listener who takes what is sent, or will.
bool ProgramStreams::has_patience() const {
  return handlers_.is_listened_to() && EventLoop::Clock::now() - taken_at_ < kListenerPatience;
}

bool ProgramStreams::must_wait() const { return kept_.is_full() && has_patience(); }

void ProgramStreams::update() {
  const bool wait = must_wait();
  watch(output_, !wait);
  watch(error_, !wait);
  if ((wait || when_drained_) && stall_timer_ == 0) {
    stall_timer_ = loop_.after(kListenerPatience, [this] {
      stall_timer_ = 0;
      pump();
    });
  }
}

void ProgramStreams::watch(Source& source, bool on) {
  if (!source.fd || source.watched == on) return;
  source.watched = on;
  if (on) {
    loop_.watch(source.fd.get(), EPOLLIN, [this, &source](std::uint32_t) { read(source); });
  } else {
    loop_.forget(source.fd.get());
  }
}

void ProgramStreams::close(Source& source) {
  if (!source.fd) return;
  if (std::exchange(source.watched, false)) loop_.forget(source.fd.get());
  source.fd.reset();
}

}  // namespace dpm
