#include "trace/stream_segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "trace/segment_name.hpp"

namespace dpm {
namespace {

std::set<std::string> files_of(const std::string& directory) {
  std::set<std::string> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("{}/{}", directory, kStreamFolder), ignored))
    found.insert(entry.path().filename().string());
  found.erase("metadata");
  return found;
}

// A recorder that is at work, or was killed, has written files after its last trace.json. The machine of those is in
// their packets.
std::vector<StreamSummary> with_unlisted(std::vector<StreamSummary> listed, const std::set<std::string>& present) {
  std::set<std::string> unlisted = present;
  for (const auto& stream : listed) unlisted.erase(stream.file);
  for (const auto& name : unlisted) listed.push_back({name, MachineId{}, 0, 0});
  return listed;
}

std::uint64_t before(const StreamSummary& segment) { return SegmentName::of(segment.file).before; }

void expect_what_names_say(StreamSegments& stream) {
  for (std::size_t i = 0; i + 1 < stream.files.size(); ++i)
    stream.files[i].records = std::max(stream.files[i].records, before(stream.files[i + 1]) - before(stream.files[i]));
  stream.removed = before(stream.files.front());
}

void forget_removed(StreamSegments& stream, const std::set<std::string>& present) {
  const auto is_there = [&](const StreamSummary& segment) { return present.contains(segment.file); };
  const auto first = std::find_if(stream.files.begin(), stream.files.end(), is_there);
  stream.remove_before(static_cast<std::size_t>(first - stream.files.begin()));
}

}  // namespace

void StreamSegments::remove_before(std::size_t first) {
  if (first == files.size()) {
    StreamSummary none = files.back();
    none.file = SegmentName{name, before(none) + none.records}.file();
    none.records = 0;
    files.push_back(std::move(none));
  }
  files.erase(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(first));
  removed = before(files.front());
}

std::vector<StreamSegments> find_streams(const std::string& directory, const Sidecar& sidecar) {
  const auto present = sidecar.finished ? std::set<std::string>() : files_of(directory);
  const auto files = with_unlisted(sidecar.streams, present);
  std::vector<StreamSegments> streams;
  if (sidecar.window_ns == 0) {
    for (const auto& file : files) streams.push_back({file.file, {file}, 0});
    return streams;
  }
  std::map<std::string, std::size_t> numbers;
  for (const auto& file : files) {
    const std::string name = SegmentName::of(file.file).stream;
    const auto [number, is_new] = numbers.try_emplace(name, streams.size());
    if (is_new) streams.push_back({name, {}, 0});
    streams[number->second].files.push_back(file);
  }
  for (StreamSegments& stream : streams) {
    std::stable_sort(stream.files.begin(), stream.files.end(),
                     [](const auto& a, const auto& b) { return before(a) < before(b); });
    if (!sidecar.finished) forget_removed(stream, present);
    expect_what_names_say(stream);
  }
  return streams;
}

std::uint64_t removed_records(const std::vector<StreamSegments>& streams) {
  std::uint64_t removed = 0;
  for (const auto& stream : streams) removed += stream.removed;
  return removed;
}

}  // namespace dpm
