#include "control/controller/watched_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "control/controller/deliveries.hpp"
#include "trace/undelivered.hpp"

namespace dpm::control {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::uint32_t kLeastPieceBytes = 16 * 1024;
// Other commands wait behind a piece that is under way.
constexpr milliseconds kPieceTimeMax{100};
constexpr unsigned kFailuresToTell = 2;  // a file that was listed may be gone
constexpr int kPausesAfterFailure = 4;

}  // namespace

Result<std::unique_ptr<WatchedLog>> WatchedLog::begin(const std::string& filter, Machines& machines,
                                                      Computation& computation, const fs::path& scratch,
                                                      milliseconds every) {
  auto folder = CopyFolder::make(scratch, filter);
  if (!folder) return folder.error();
  std::unique_ptr<WatchedLog> log(new WatchedLog(filter, machines, computation, *std::move(folder), every));
  log->ask({});
  return log;
}

WatchedLog::WatchedLog(const std::string& filter, Machines& machines, Computation& computation, CopyFolder folder,
                       milliseconds every)
    : filter_(filter),
      machines_(machines),
      computation_(computation),
      folder_(std::move(folder)),
      every_(every),
      mirror_(folder_.trace()),
      piece_bytes_(kLeastPieceBytes),
      self_(std::make_shared<WatchedLog*>(this)) {}

WatchedLog::~WatchedLog() { *self_ = nullptr; }

void WatchedLog::ask(milliseconds delay) {
  const auto filter = computation_.filter(filter_);
  if (!filter) return end("the filter was removed");
  if (mirror_.is_round_over()) {
    std::optional<std::string> undelivered;
    if (!(*filter)->ended.empty()) {
      const auto missing = Deliveries(computation_).of(filter_);
      undelivered = missing.empty() ? "" : to_json(missing);
    }
    mirror_.begin_round(std::move(undelivered));
  }
  const auto wanted = mirror_.wanted();
  const std::string log = name_of_log((*filter)->log);
  RequestBody request = LookAtLog{log};
  if (!wanted.file.empty()) request = GetLog{log, wanted.file, wanted.offset, piece_bytes_};
  asked_ = Clock::now() + delay;
  machines_.ask_meanwhile({(*filter)->machine, std::move(request)}, delay, [self = self_](Answer answer) {
    if (*self != nullptr) (*self)->take(std::move(answer));
  });
}

void WatchedLog::take(Answer answer) {
  if (!answer) return fail(answer.error().what);
  if (const auto given = give(*answer); !given) return end(given.error().what);
  if (failures_ >= kFailuresToTell) machines_.notice("", marked("comes again"));
  failures_ = 0;
  problem_.clear();
  if (mirror_.is_complete()) {
    is_over_ = true;
    return;
  }
  ask(mirror_.is_round_over() && !mirror_.is_behind() ? every_ : milliseconds{});
}

Result<void> WatchedLog::give(const ReplyBody& reply) {
  if (const auto* state = std::get_if<LogState>(&reply); state != nullptr && mirror_.wanted().file.empty())
    return mirror_.take(*state);
  const auto* piece = std::get_if<LogPiece>(&reply);
  if (piece == nullptr || mirror_.wanted().file.empty())
    return Error{"its daemon sent an unexpected answer: is it another version of DPM?"};
  adapt_piece(piece->bytes.size());
  return mirror_.take(*piece);
}

void WatchedLog::adapt_piece(std::size_t bytes) {
  const auto time = Clock::now() - asked_;
  if (time > kPieceTimeMax) {
    piece_bytes_ = std::max(piece_bytes_ / 2, kLeastPieceBytes);
  } else if (time < kPieceTimeMax / 4 && bytes == piece_bytes_) {
    piece_bytes_ = std::min(piece_bytes_ * 2, static_cast<std::uint32_t>(kChunkBytesMax));
  }
}

void WatchedLog::fail(const std::string& why) {
  mirror_.abandon_round();
  problem_ = why;
  if (++failures_ == kFailuresToTell)
    machines_.notice("", marked("cannot be fetched: " + why + "; dpm will try again"));
  ask((failures_ < kFailuresToTell ? 1 : kPausesAfterFailure) * every_);
}

void WatchedLog::end(const std::string& why) {
  is_over_ = true;
  problem_ = why;
  mirror_.give_up();
  machines_.notice("", marked("is no longer followed: " + why));
}

std::string WatchedLog::marked(const std::string& news) const {
  return fmt::format("  WATCH: the log of filter '{}' {}", filter_, news);
}

}  // namespace dpm::control
