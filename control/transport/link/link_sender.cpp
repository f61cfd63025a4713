#include "control/transport/link/link_sender.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "control/transport/frames/preamble.hpp"
#include "control/transport/link/connect.hpp"
#include "control/transport/tls/tls_stream.hpp"
#include "os/net/timer.hpp"
#include "os/random.hpp"

namespace dpm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using asio::ip::tcp;

constexpr auto kConnectPatience = 3000ms;
constexpr auto kGreetingPatience = 10s;  // for the handshake, and again for Resume
constexpr auto kPauseMin = 50ms;
constexpr auto kPauseMax = 2000ms;
constexpr auto kWatchPause = 1s;
constexpr std::size_t kSendPiece = 64 * 1024;
constexpr std::size_t kReadPiece = 4 * 1024;  // confirmations are short

std::string text_of(AsioError failed) {
  const bool is_end = failed == asio::error::eof || failed == asio::ssl::error::stream_truncated;
  return is_end ? "it has ended the connection" : failed.message();
}

// One connection, shared by both coroutines.
struct Conversation {
  Conversation(TlsContext& tls, tcp::socket connected)
      : stream(std::move(connected), tls.asio()), frames(wire::kMeterFrameBodyBytesMax) {}

  void end(const std::string& why) {
    if (std::exchange(is_over, true)) return;
    problem = why;
    AsioError ignored;
    stream.lowest_layer().close(ignored);
  }

  TlsStream stream;
  FrameReader frames;
  bool is_over = false;
  std::string problem;  // why
};

}  // namespace

class LinkSender::Work : public std::enable_shared_from_this<Work> {
 public:
  Work(asio::io_context& context, std::shared_ptr<SharedLink> shared, FilterAddress filter, TlsContext tls,
       Options options)
      : context_(context),
        shared_(std::move(shared)),
        filter_(std::move(filter)),
        tls_(std::move(tls)),
        options_(std::move(options)),
        connecting_(context),
        sleep_(context),
        watch_(Clock::now()),
        watch_timer_(context) {}

  // Tries the addresses in order, repeatedly, until everything is confirmed.
  asio::awaitable<void> run([[maybe_unused]] std::shared_ptr<Work> self) {
    auto pause = kPauseMin;
    keep_watching();
    while (!stopped_) {
      for (const auto& host : ways()) {
        resumed_ = false;
        co_await converse(host);
        if (stopped_ || is_complete()) co_return;
        if (resumed_) break;  // start with the first one again
      }
      if (resumed_) pause = kPauseMin;
      woken_ = false;
      co_await sleep_until(Clock::now() + pause, false);
      pause = std::min<std::chrono::milliseconds>(pause * 2, kPauseMax);
    }
  }

  void wake() {
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->wake_sent = false;
    }
    notice();
  }

  void stop() {
    stopped_ = true;
    watch_timer_.cancel();
    sleep_.cancel();
    AsioError ignored;
    connecting_.close(ignored);
    if (conversation_ != nullptr) conversation_->end("the meter was told to stop");
  }

 private:
  asio::awaitable<void> converse(std::string host) {
    connecting_ = tcp::socket(context_);
    std::string unreachable;
    if (options_.dial) {
      unreachable = dial();
    } else {
      unreachable = co_await connect_to(context_, connecting_, host, filter_.port, kConnectPatience);
    }
    if (stopped_) co_return;
    if (!unreachable.empty()) {
      note_problem(unreachable);
      co_return;
    }
    conversation_ = std::make_shared<Conversation>(tls_, std::move(connecting_));
    const auto conversation = conversation_;
    Timer patience(context_);
    patience.start(kGreetingPatience, [conversation] { conversation->end("no answer"); });
    std::string stranger = co_await prove_key(*conversation);
    if (stranger.empty()) stranger = co_await shake_hands(conversation->stream, TlsRole::client);
    if (stranger.empty() && !conversation->is_over) {
      patience.start(kGreetingPatience, [this, conversation] {
        if (!resumed_) conversation->end("it does not answer");
      });
      spawn(context_, receive(shared_from_this(), conversation));
      co_await send(conversation);
    }
    conversation->end(stranger);
    conversation_.reset();
    keep_watching();
    if (!stopped_ && !is_complete())
      note_problem(fmt::format("speak to the filter's collector at {}: {}", host, conversation->problem));
  }

  asio::awaitable<std::string> prove_key(Conversation& conversation) {
    Nonce nonce;
    if (auto drawn = draw_random(nonce); !drawn) co_return drawn.error().what;
    const auto preamble = make_preamble(options_.identity, filter_.secret, nonce);
    if (!preamble) co_return preamble.error().what;
    AsioError failed;
    co_await asio::async_write(conversation.stream.next_layer(), asio::buffer(*preamble),
                               asio::redirect_error(asio::use_awaitable, failed));
    co_return failed ? text_of(failed) : "";
  }

  std::vector<std::string> ways() const {
    return options_.dial ? std::vector<std::string>{"the end of the tunnel"} : filter_.hosts;
  }

  // Returns why it failed. The socket is one of a pair, which asio treats like one of TCP.
  std::string dial() {
    auto socket = options_.dial();
    if (!socket) return socket.error().what;
    AsioError failed;
    connecting_.assign(tcp::v6(), socket->release(), failed);
    return failed ? failed.message() : "";
  }

  asio::awaitable<void> send(std::shared_ptr<Conversation> conversation) {
    std::string out = greeting();
    while (!conversation->is_over) {
      if (out.empty() && fill(out)) break;
      if (out.empty()) {
        co_await sleep_until(batch_due_, true);
        continue;
      }
      AsioError failed;
      co_await asio::async_write(conversation->stream, asio::buffer(out),
                                 asio::redirect_error(asio::use_awaitable, failed));
      if (failed) conversation->end(text_of(failed));
      out.clear();
    }
  }

  asio::awaitable<void> receive([[maybe_unused]] std::shared_ptr<Work> self,
                                std::shared_ptr<Conversation> conversation) {
    std::array<char, kReadPiece> bytes;
    while (!conversation->is_over) {
      AsioError failed;
      const std::size_t length = co_await conversation->stream.async_read_some(
          asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, failed));
      if (failed) {
        conversation->end(text_of(failed));
      } else if (const auto taken = take(*conversation, {bytes.data(), length}); !taken) {
        conversation->end(taken.error().what);
      }
      notice();
    }
  }

  Result<void> take(Conversation& conversation, std::string_view bytes) {
    conversation.frames.feed(bytes);
    const std::lock_guard lock(shared_->mutex);
    if (shared_->stopped) return Error{"the meter was told to stop"};
    while (true) {
      auto frame = conversation.frames.next();
      if (!frame) return frame.error();
      if (!frame->has_value()) break;
      if (auto taken = shared_->buffer.take(*std::move(*frame)); !taken) return taken.error();
      if (!resumed_ && shared_->buffer.is_resumed()) {
        resumed_ = true;
        shared_->problem.clear();
      }
    }
    shared_->moved.notify_all();
    return {};
  }

  // There may be something to do.
  void notice() {
    woken_ = true;
    if (wakeable_) sleep_.cancel();
  }

  std::string greeting() {
    const std::lock_guard lock(shared_->mutex);
    return shared_->stopped ? "" : shared_->buffer.greeting();
  }

  // Puts into `out` what is to be sent now. True when everything is confirmed.
  bool fill(std::string& out) {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->stopped) return true;
    LinkBuffer& buffer = shared_->buffer;
    const auto now = Clock::now();
    const bool full = buffer.unsent() >= options_.batch_events || shared_->immediate || shared_->ending;
    if (buffer.unsent() == 0) {
      batch_due_ = Clock::time_point::max();
    } else if (batch_due_ == Clock::time_point::max()) {
      batch_due_ = now + std::chrono::duration_cast<Clock::duration>(options_.delay);
    }
    if (full || now >= batch_due_) {
      // Events in the spool wait for a confirmation, not for time.
      const bool produced = buffer.produce(out, kSendPiece);
      if (produced) keep_watching();
      batch_due_ = produced && buffer.unsent() > 0 ? now : Clock::time_point::max();
    }
    return buffer.is_complete();
  }

  // Or until there is something to do, if `wakeable`.
  asio::awaitable<void> sleep_until(Clock::time_point time, bool wakeable) {
    wakeable_ = wakeable;
    if (stopped_ || (wakeable && std::exchange(woken_, false))) co_return;
    sleep_.expires_at(time);
    AsioError ignored;
    co_await sleep_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    if (wakeable) woken_ = false;
  }

  bool is_complete() {
    const std::lock_guard lock(shared_->mutex);
    return shared_->stopped || shared_->buffer.is_complete();
  }

  // An idle link that is connected is not watched, and costs nothing.
  void keep_watching() {
    if (stopped_ || !options_.on_status || watch_timer_.is_running()) return;
    watch_timer_.start(kWatchPause, [this] { look(); });
  }

  void look() {
    LinkWatch::Seen seen;
    {
      const std::lock_guard lock(shared_->mutex);
      if (shared_->stopped) return;
      const LinkBuffer& buffer = shared_->buffer;
      // What a filter that is gone does not get, its collector counts.
      const bool is_wanted = buffer.filter_gone().empty();
      seen = {conversation_ != nullptr && resumed_, buffer.confirmed(), is_wanted ? buffer.waiting() : 0,
              shared_->problem};
    }
    const bool may_rest = seen.is_connected && seen.waiting == 0;
    if (const auto status = watch_.look(Clock::now(), std::move(seen))) options_.on_status(*status);
    if (!may_rest) keep_watching();
  }

  void note_problem(const std::string& problem) {
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->stopped) shared_->problem = problem;
  }

  asio::io_context& context_;
  std::shared_ptr<SharedLink> shared_;
  FilterAddress filter_;
  TlsContext tls_;
  Options options_;
  tcp::socket connecting_;
  std::shared_ptr<Conversation> conversation_;
  asio::steady_timer sleep_;
  LinkWatch watch_;
  Timer watch_timer_;
  bool wakeable_ = false;  // the sleep ends when there is something to do
  bool woken_ = false;     // since the last look
  bool resumed_ = false;   // the collector has sent Resume on this connection
  bool stopped_ = false;
  Clock::time_point batch_due_ = Clock::time_point::max();
};

LinkSender::LinkSender(asio::io_context& context, std::shared_ptr<SharedLink> shared, FilterAddress filter,
                       TlsContext tls, Options options)
    : context_(context),
      shared_(std::move(shared)),
      work_(std::make_shared<Work>(context, shared_, std::move(filter), std::move(tls), std::move(options))) {
  spawn(context, work_->run(work_));
}

void LinkSender::wake() {
  later(context_, [work = work_] { work->wake(); });
}

void LinkSender::stop() {
  {
    const std::lock_guard lock(shared_->mutex);
    if (std::exchange(shared_->stopped, true)) return;
  }
  later(context_, [work = work_] { work->stop(); });
}

}  // namespace dpm
