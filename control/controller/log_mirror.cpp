#include "control/controller/log_mirror.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "control/controller/user_files.hpp"
#include "model/check.hpp"
#include "trace/files.hpp"
#include "trace/names_journal.hpp"
#include "trace/sidecar.hpp"
#include "trace/undelivered.hpp"

namespace dpm::control {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFilesMax = 10'000;
constexpr std::size_t kDescriptionBytesMax =
    24 * 1024 * 1024;  // the largest journal that a recorder takes in, and more
constexpr const char* kNewNames = "names.jsonl.new";
constexpr std::string_view kStreamBegin = "machine_";

// "machine_0_filter_0", of "trace/ctf/machine_0_filter_0"; "" if the file is not a stream.
std::string stream_file(const std::string& file, const std::string& prefix) {
  const std::string folder = fmt::format("{}{}/", prefix, kStreamFolder);
  if (!file.starts_with(folder + std::string(kStreamBegin))) return "";
  std::string name = file.substr(folder.size());
  return name.find('/') == std::string::npos ? name : "";
}

}  // namespace

void LogMirror::begin_round(std::optional<std::string> undelivered) {
  DPM_CHECK(is_round_over() && !is_complete_);
  undelivered_ = std::move(undelivered);
  is_behind_ = false;
  stage_ = Stage::state;
}

void LogMirror::abandon_round() {
  stage_ = Stage::none;
  found_.clear();  // so the next round does not count as one that found the same
  part_.clear();
}

LogMirror::Wanted LogMirror::wanted() const {
  switch (stage_) {
    case Stage::streams:
      return {fmt::format("{}{}/{}", *prefix_, kStreamFolder, at_->first.file()), at_->second.fetched_bytes()};
    case Stage::names:
      return {*prefix_ + kNamesJournalName, names_.fetched_bytes};
    case Stage::description:
      return {*prefix_ + kSidecarName, part_.size()};
    default:
      return {};
  }
}

// ---- fetched

Result<void> LogMirror::take(const LogState& state) {
  DPM_CHECK(stage_ == Stage::state);
  stage_ = Stage::none;
  if (state.files.size() > kFilesMax)
    return Error{fmt::format("its machine names {} files of the log, more than any log has", state.files.size())};
  if (!prefix_)
    if (auto found = find_trace(state.files); !found) return found;
  if (!prefix_) return {};
  found_before_ = std::exchange(found_, state.files);
  for (auto& [name, stream] : streams_) stream.is_there = false;
  names_.is_there = false;
  for (const auto& file : found_) note(file);
  if (found_ == found_before_ && has_all()) return publish_whole();
  part_.clear();
  left_ = streams_.size();
  at_ = streams_.upper_bound({turn_, UINT64_MAX});
  go_to(names_are_behind() ? Stage::names : Stage::streams);
  return {};
}

// The standard filter writes the folder "trace" of its log.
Result<void> LogMirror::find_trace(const std::vector<LogFile>& files) {
  for (const auto& file : files) {
    if (file.name == ".") return Error{"it is one file, and not a trace"};
    if (fs::path(file.name).filename() != kSidecarName) continue;
    const std::string folder = file.name.substr(0, file.name.size() - std::string_view(kSidecarName).size());
    if (!prefix_ || folder.size() < prefix_->size()) prefix_ = folder;
  }
  if (!prefix_) return {};
  std::error_code failed;
  fs::create_directory(path_of(kStreamFolder), failed);
  if (failed) return Error{fmt::format("make {}: {}", path_of(kStreamFolder).string(), failed.message())};
  auto lock = RecordingLock::hold(directory_);
  if (!lock) return lock.error();
  lock_ = *std::move(lock);
  return {};
}

void LogMirror::note(const LogFile& file) {
  if (file.name == *prefix_ + kNamesJournalName) return note_names(file);
  const std::string name = stream_file(file.name, *prefix_);
  if (name.empty()) return;
  Stream& stream = streams_[SegmentName::of(name)];
  stream.is_there = true;
  stream.there_bytes = file.size_bytes;
}

// Another file of this name is fetched from its beginning.
void LogMirror::note_names(const LogFile& file) {
  if (names_.fetched_bytes > 0 && (file.identity != names_.identity || file.size_bytes < names_.fetched_bytes))
    begin_names_again(file.identity);
  names_.is_there = true;
  names_.identity = file.identity;
  names_.there_bytes = file.size_bytes;
}

void LogMirror::begin_names_again(std::uint64_t identity) {
  std::error_code ignored;
  fs::remove(path_of(kNewNames), ignored);
  const bool is_replaced = names_.is_replaced || names_.fetched_bytes > 0;
  names_ = {.identity = identity, .is_there = true, .is_replaced = is_replaced};
}

bool LogMirror::has_all() const {
  const bool has_names = !names_.is_there || (names_.fetched_bytes == names_.there_bytes && !names_.is_replaced);
  return !description_.empty() && has_names && std::all_of(streams_.begin(), streams_.end(), [](const auto& one) {
    return !one.second.is_there || one.second.written_bytes >= one.second.there_bytes;
  });
}

// Then a round fetches names only: they must all be there before an event that came after them.
bool LogMirror::names_are_behind() const {
  return names_.is_there && names_.there_bytes > names_.fetched_bytes + round_bytes_max_;
}

void LogMirror::go_to(Stage stage) {
  stage_ = stage;
  if (stage == Stage::streams) return go_to_next_stream();
  names_.is_whole = !names_.is_there;
  if (stage == Stage::names && !names_.is_there) stage_ = Stage::description;
}

// The segments of a stream in their order: a later one is there only when the one before is complete.
void LogMirror::go_to_next_stream() {
  for (; left_ > 0 && held_bytes_ < round_bytes_max_; --left_, ++at_) {
    if (at_ == streams_.end()) at_ = streams_.begin();
    if (at_->second.is_there && at_->second.fetched_bytes() < at_->second.there_bytes) return;
  }
  go_to(Stage::names);
}

Result<void> LogMirror::take(const LogPiece& piece) {
  if (piece.bytes.empty() && !piece.last) return Error{fmt::format("its file '{}' does not end", wanted().file)};
  bytes_ += piece.bytes.size();
  switch (stage_) {
    case Stage::streams:
      return take_events(piece);
    case Stage::names:
      return take_names(piece);
    default:
      return take_description(piece);
  }
}

Result<void> LogMirror::take_events(const LogPiece& piece) {
  DPM_CHECK(stage_ == Stage::streams);
  Stream& stream = at_->second;
  stream.held += piece.bytes;
  held_bytes_ += piece.bytes.size();
  turn_ = at_->first.stream;
  if (piece.last) stream.there_bytes = std::min(stream.there_bytes, stream.fetched_bytes());
  go_to_next_stream();
  return {};
}

Result<void> LogMirror::take_names(const LogPiece& piece) {
  if (piece.identity != names_.identity) {
    const bool is_beginning = names_.fetched_bytes == 0;
    begin_names_again(piece.identity);
    if (!is_beginning) return {};
  }
  const bool is_behind = names_are_behind();
  names_.fetched_bytes += piece.bytes.size();
  if (names_.is_replaced) {
    if (auto done = append(kNewNames, piece.bytes); !done) return done;
  } else {
    names_.held += piece.bytes;
    if (names_.held.size() > 4 * round_bytes_max_) return Error{"its names grow faster than they come"};
  }
  names_.is_whole = piece.last;
  const bool is_enough = is_behind && !names_.is_replaced && names_.held.size() >= round_bytes_max_;
  if (piece.last || is_enough) stage_ = Stage::description;
  return {};
}

Result<void> LogMirror::take_description(const LogPiece& piece) {
  DPM_CHECK(stage_ == Stage::description);
  part_ += piece.bytes;
  if (part_.size() > kDescriptionBytesMax) return Error{"its trace.json is longer than any"};
  if (!piece.last) return {};
  description_ = std::exchange(part_, {});
  stage_ = Stage::none;
  return publish();
}

// ---- written

Result<void> LogMirror::publish() {
  constexpr unsigned kTornMax = 5;  // it may have been replaced between two pieces
  auto described = sidecar_from_json(*prefix_ + kSidecarName, description_);
  if (!described) {
    found_.clear();
    return ++torn_ < kTornMax ? Result<void>{} : described.error();
  }
  torn_ = 0;
  if (described->has_journal && !names_.is_there) return {};  // it was made since
  described->finished = described->paused = false;
  described->ledger = {};
  // One without records tells how many were removed, and another file does not.
  std::erase_if(described->streams, [](const StreamSummary& stream) { return stream.records > 0; });
  if (described->has_journal)
    if (auto made = append(kNamesJournalName, ""); !made) return made;
  if (auto done = show(to_json(*described)); !done) return done;
  if (auto done = publish_names(); !done) return done;
  forget_gone();
  if (names_.is_whole)
    if (auto done = publish_events(); !done) return done;
  is_behind_ = !has_all();
  return {};
}

Result<void> LogMirror::publish_names() {
  if (!names_.is_replaced)
    return names_.held.empty() ? Result<void>{} : append(kNamesJournalName, std::exchange(names_.held, {}));
  std::error_code failed;
  fs::rename(path_of(kNewNames), path_of(kNamesJournalName), failed);
  if (failed) return Error{fmt::format("make {}: {}", path_of(kNamesJournalName).string(), failed.message())};
  names_.is_replaced = false;
  return {};
}

Result<void> LogMirror::publish_events() {
  for (auto& [segment, stream] : streams_) {
    if (stream.held.empty()) continue;
    if (auto done = append(fmt::format("{}/{}", kStreamFolder, segment.file()), stream.held); !done) return done;
    stream.written_bytes += std::exchange(stream.held, {}).size();
  }
  held_bytes_ = 0;
  return {};
}

// The counts are right: what they are of has come.
Result<void> LogMirror::publish_whole() {
  if (auto done = show(description_); !done) return done;
  std::error_code ignored;
  if (!names_.is_there) fs::remove(path_of(kNamesJournalName), ignored);
  if (!undelivered_) return {};
  if (!undelivered_->empty())
    if (auto done = append(kUndeliveredName, *undelivered_); !done) return done;
  is_complete_ = true;
  lock_.release();
  return {};
}

Result<void> LogMirror::show(const std::string& description) {
  if (description == shown_) return {};
  if (auto done = replace_file(path_of(kSidecarName), description); !done) return done;
  shown_ = description;
  return {};
}

// The recorder has removed what was before its window.
void LogMirror::forget_gone() {
  std::error_code ignored;
  std::erase_if(streams_, [&](const auto& one) {
    if (one.second.is_there) return false;
    held_bytes_ -= one.second.held.size();
    fs::remove(path_of(kStreamFolder) / one.first.file(), ignored);
    return true;
  });
}

Result<void> LogMirror::append(const std::string& name, std::string_view bytes) {
  return append_inside(directory_, name, bytes, directory_);
}

}  // namespace dpm::control
