#include "control/agents/program_streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
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

ProgramStreams::ProgramStreams(asio::io_context& context, Handlers handlers)
    : context_(context), handlers_(std::move(handlers)), taken_at_(Clock::now()), stall_timer_(context) {
  error_.is_error = true;
}

Result<ProgramStreams::ProgramEnds> ProgramStreams::open(const std::string& input_file) {
  ProgramEnds ends;
  if (input_file.empty()) {
    auto input = make_pipe();
    if (!input) return input.error();
    ends.input = std::move(input->read);
    do_not_wait(input->write);
    input_.emplace(context_, std::move(input->write));
  } else {
    ends.input = UniqueFd(::open(input_file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!ends.input) return Error::from_errno(fmt::format("read the program's input from '{}'", input_file));
  }
  auto output = make_pipe();
  auto error = make_pipe();
  if (!output || !error) return output ? error.error() : output.error();
  ends.output = std::move(output->write);
  ends.error = std::move(error->write);
  do_not_wait(output->read);
  do_not_wait(error->read);
  output_.pipe.emplace(context_, std::move(output->read));
  error_.pipe.emplace(context_, std::move(error->read));
  update();
  return ends;
}

Result<void> ProgramStreams::add_input(const std::string& bytes, bool end) {
  if (!input_ || input_ends_) return Error{"its standard input is a file, or has ended"};
  if (pending_input_.size() + bytes.size() > kInputBytesMax)
    return Error{fmt::format("it has not read {} bytes of its standard input yet: send no more before it has",
                             pending_input_.size())};
  pending_input_ += bytes;
  input_ends_ = end;
  write_input();
  return {};
}

void ProgramStreams::write_input() {
  while (!pending_input_.empty()) {
    const ssize_t length = ::write(input_->fd(), pending_input_.data(), pending_input_.size());
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 && errno == EAGAIN) break;
    if (length < 0) return close_input();  // it does not read any more
    pending_input_.erase(0, static_cast<std::size_t>(length));
  }
  if (pending_input_.empty() && input_ends_) return close_input();
  if (!pending_input_.empty()) input_->when_writable([this] { write_input(); });
}

void ProgramStreams::close_input() {
  input_.reset();
  pending_input_.clear();
  pending_input_.shrink_to_fit();
}

// True if there may be more.
bool ProgramStreams::read_once(Source& source, bool keep_all) {
  char part[64 * 1024];
  const ssize_t length = ::read(source.pipe->fd(), part, sizeof part);
  if (length < 0 && errno == EINTR) return true;
  if (length < 0 && errno == EAGAIN) return false;
  if (length <= 0) {
    source.pipe.reset();
    return false;
  }
  if (kept_.empty()) taken_at_ = Clock::now();
  const std::string_view bytes(part, static_cast<std::size_t>(length));
  // While a controller listens, a full buffer makes the program wait (must_wait): nothing that was read is dropped.
  keep_all || has_patience() ? kept_.add_anyway(source.is_error, bytes) : kept_.add(source.is_error, bytes);
  return true;
}

void ProgramStreams::read(Source& source) {
  read_once(source, false);
  pump();
}

void ProgramStreams::drain(std::function<void()> then) {
  // Other processes may still write to these pipes, faster than we read: read what the pipes hold now.
  constexpr int kReadsMax = 32;
  for (Source* source : {&output_, &error_}) {
    for (int i = 0; i < kReadsMax && source->pipe && read_once(*source, true); ++i) {
    }
  }
  when_drained_ = std::move(then);
  pump();
}

void ProgramStreams::pump() {
  while (!kept_.empty() && handlers_.may_send()) {
    handlers_.send(kept_.take(kPieceBytesMax));
    taken_at_ = Clock::now();
  }
  update();
  if (when_drained_ && (kept_.empty() || !has_patience())) std::exchange(when_drained_, nullptr)();
}

// A controller listens, and takes what is sent.
bool ProgramStreams::has_patience() const {
  return handlers_.is_listened_to() && Clock::now() - taken_at_ < kListenerPatience;
}

bool ProgramStreams::must_wait() const { return kept_.is_full() && has_patience(); }

void ProgramStreams::update() {
  wait_for(output_);
  wait_for(error_);
  if ((must_wait() || when_drained_) && !stall_timer_.is_running())
    stall_timer_.start(kListenerPatience, [this] { pump(); });
}

void ProgramStreams::wait_for(Source& source) {
  if (!source.pipe || must_wait()) return;
  source.pipe->when_readable([this, &source] { must_wait() ? update() : read(source); });
}

}  // namespace dpm
