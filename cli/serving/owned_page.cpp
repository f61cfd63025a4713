#include "cli/serving/owned_page.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "cli/serving/serving_program.hpp"
#include "os/own_program.hpp"

namespace dpm::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kStartPatience{20'000}, kEndPatience{1000};

struct Pipe {
  UniqueFd reading, writing;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("make a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// Its first line, or what it said instead until it ended.
Result<std::string> first_line(int fd) {
  std::string said;
  const auto late = Clock::now() + kStartPatience;
  while (said.find('\n') == std::string::npos) {
    const auto left = std::chrono::ceil<milliseconds>(late - Clock::now());
    pollfd waiting{fd, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) == 0)
      return Error{fmt::format("it did not start within {} s", kStartPatience.count() / 1000)};
    char part[4096];
    const ssize_t count = ::read(fd, part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    said.append(part, static_cast<std::size_t>(count));
  }
  return said.substr(0, said.find('\n'));
}

}  // namespace

Result<std::unique_ptr<OwnedPage>> OwnedPage::start(const std::string& directory, const std::string& title) {
  auto input = make_pipe();
  if (!input) return input.error();
  auto output = make_pipe();
  if (!output) return output.error();
  const int said = output->writing.get();
  const auto pid = start_in_session({serving_program(), "serve", "--until-closed", "--title", title, "--", directory},
                                    {input->reading.get(), said, said});
  if (!pid) return pid.error();
  output->writing.reset();
  std::unique_ptr<OwnedPage> page(new OwnedPage(*pid, std::move(input->writing)));
  auto line = first_line(output->reading.get());
  if (!line) return line.error();
  if (!line->starts_with("http")) return Error{line->empty() ? "it ended without a message" : *line};
  page->address_ = *std::move(line);
  return page;
}

bool OwnedPage::has_ended() {
  if (pid_ != 0 && ::waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = 0;
  return pid_ == 0;
}

OwnedPage::~OwnedPage() {
  constexpr milliseconds kLook{5};
  input_.reset();
  const auto late = Clock::now() + kEndPatience;
  while (!has_ended()) {
    if (Clock::now() > late) ::kill(pid_, SIGKILL);
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace dpm::cli
