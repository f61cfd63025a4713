#include "control/controller/file_copies.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <numeric>

#include "control/controller/listed.hpp"
#include "control/controller/size_text.hpp"
#include "control/controller/user_files.hpp"

namespace dpm::control {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiecesAtOnce = 16;

// Each content has its own path, so that a running program is never overwritten.
std::string cache_place(const fs::path& path, const std::string& sha256) {
  constexpr std::size_t kEnough = 16;
  return fmt::format("~/.cache/dpm/files/{}/{}", sha256.substr(0, kEnough), path.filename().string());
}

}  // namespace

FileCopies::Places FileCopies::place(const std::vector<std::string>& machines, const std::string& word, FileUse use) {
  const auto everywhere = [&](const Result<std::string>& place) { return Places(machines.size(), place); };
  std::error_code failed;
  const bool is_name = word.find('/') == std::string::npos;
  const fs::path path = fs::absolute(word, failed).lexically_normal();
  if (failed) return everywhere(Error{fmt::format("find {}: {}", word, failed.message())});
  const bool is_here = use == FileUse::executable && is_name ? is_executable_file(path) : is_ordinary_file(path);
  if (is_here && use == FileUse::executable && !is_executable_file(path))
    return everywhere(Error{fmt::format("'{}' is not executable: chmod +x makes it so", word)});
  if (is_here) return place_own_file(machines, word, path, use);
  if (is_name && use == FileUse::executable) return everywhere(word);
  if (!fs::path(word).is_absolute()) return everywhere(Error{"there is no file '" + word + "' here"});

  std::vector<Question> questions;
  for (const auto& machine : machines) questions.push_back({machine, FindFile{word}});
  auto answers = machines_.ask(std::move(questions));
  Places places;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const auto found = expect<FileFound>(std::move(answers[i]));
    if (!found) {
      places.emplace_back(found.error());
    } else if (found->exists) {
      places.emplace_back(word);
    } else {
      places.emplace_back(Error{fmt::format("there is no file '{}' here or on machine '{}'", word, machines[i])});
    }
  }
  return places;
}

FileCopies::Places FileCopies::place_own_file(const std::vector<std::string>& machines, const std::string& word,
                                              const std::string& path, FileUse use) {
  Places places(machines.size(), std::string());
  const auto sha256 = sha256_of(path);
  if (!sha256) return Places(machines.size(), sha256.error());
  Indices lacking(machines.size());
  std::iota(lacking.begin(), lacking.end(), 0);
  const std::string copy = cache_place(path, *sha256);
  lacking = find(machines, lacking, path, *sha256, places);
  lacking = find(machines, lacking, copy, *sha256, places);
  if (lacking.empty()) return places;

  if (auto done = put(machines, lacking, path, copy, use, places); !done)
    for (const auto i : lacking) places[i] = done.error();
  std::erase_if(lacking, [&](std::size_t i) { return !places[i]; });
  for (const auto i : find(machines, lacking, copy, *sha256, places))
    places[i] = Error{fmt::format("'{}' changed while it was copied: try again", word)};
  std::error_code unknown;
  std::vector<std::string> copied;
  for (const auto i : lacking)
    if (places[i]) copied.push_back(machines[i]);
  if (!copied.empty())
    console_.say(
        fmt::format("file '{}' was copied to {}: {}", word, listed(copied), size_text(fs::file_size(path, unknown))));
  return places;
}

FileCopies::Indices FileCopies::find(const std::vector<std::string>& machines, const Indices& those,
                                     const std::string& path, const std::string& sha256, Places& places) {
  std::vector<Question> questions;
  for (const auto i : those) questions.push_back({machines[i], FindFile{path}});
  auto answers = machines_.ask(std::move(questions));
  Indices lacking;
  for (std::size_t n = 0; n < those.size(); ++n) {
    const auto found = expect<FileFound>(std::move(answers[n]));
    if (!found) {
      places[those[n]] = found.error();
    } else if (found->exists && found->sha256 == sha256) {
      places[those[n]] = path;
    } else {
      lacking.push_back(those[n]);
    }
  }
  return lacking;
}

// A machine that refuses a piece gets the others nevertheless, and its place is that error.
Result<void> FileCopies::put(const std::vector<std::string>& machines, const Indices& those, const std::string& from,
                             const std::string& to, FileUse use, Places& places) {
  std::vector<Question> pieces;
  std::uint64_t offset = 0;
  return read_pieces(from, kChunkBytesMax, [&](std::string_view bytes, bool is_last) -> Result<void> {
    for (const auto i : those)
      pieces.push_back({machines[i], PutFile{.path = to,
                                             .mode = use == FileUse::executable ? 0700U : 0600U,
                                             .offset = offset,
                                             .bytes = std::string(bytes),
                                             .last = is_last}});
    offset += bytes.size();
    if (pieces.size() < kPiecesAtOnce && !is_last) return {};
    std::size_t next = 0;
    for (auto& answer : machines_.ask(std::exchange(pieces, {}))) {
      auto& place = places[those[next++ % those.size()]];
      if (auto done = expect<Done>(std::move(answer)); !done && place) place = done.error();
    }
    return {};
  });
}

}  // namespace dpm::control
