#include "backends/linux/remote/controller/file_copies.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "backends/linux/remote/controller/size_text.hpp"
#include "backends/linux/remote/controller/user_files.hpp"

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

Result<std::string> FileCopies::place(const std::string& machine, const std::string& word, FileUse use) {
  std::error_code failed;
  const bool is_name = word.find('/') == std::string::npos;
  const fs::path path = fs::absolute(word, failed).lexically_normal();
  if (failed) return Error{fmt::format("find {}: {}", word, failed.message())};
  const bool is_here = use == FileUse::executable && is_name ? is_executable_file(path) : is_ordinary_file(path);
  if (!is_here) {
    if (is_name && use == FileUse::executable) return word;
    if (fs::path(word).is_absolute()) {
      auto found = expect<FileFound>(machines_.ask({{machine, FindFile{word}}}).at(0));
      if (!found) return found.error();
      if (found->exists) return word;
    }
    return Error{"there is no file '" + word + "' here" +
                 (fs::path(word).is_absolute() ? " or on machine '" + machine + "'" : "")};
  }
  if (use == FileUse::executable && !is_executable_file(path))
    return Error{fmt::format("'{}' is not executable: chmod +x makes it so", word)};

  const auto sha256 = sha256_of(path);
  if (!sha256) return sha256.error();
  auto is_there = has(machine, path, *sha256);
  if (!is_there) return is_there.error();
  if (*is_there) return path.string();
  const std::string copy = cache_place(path, *sha256);
  is_there = has(machine, copy, *sha256);
  if (!is_there) return is_there.error();
  if (*is_there) return copy;
  if (auto done = put(machine, path, copy, use); !done) return done.error();
  is_there = has(machine, copy, *sha256);
  if (!is_there) return is_there.error();
  if (!*is_there) return Error{fmt::format("'{}' changed while it was copied: try again", word)};
  console_.say(fmt::format("file '{}' was copied to {}: {}", word, machine, size_text(fs::file_size(path, failed))));
  return copy;
}

Result<bool> FileCopies::has(const std::string& machine, const std::string& path, const std::string& sha256) {
  auto found = expect<FileFound>(machines_.ask({{machine, FindFile{path}}}).at(0));
  if (!found) return found.error();
  return found->exists && found->sha256 == sha256;
}

Result<void> FileCopies::put(const std::string& machine, const std::string& from, const std::string& to, FileUse use) {
  std::vector<Question> pieces;
  std::uint64_t offset = 0;
  return read_pieces(from, kChunkBytesMax, [&](std::string_view bytes, bool is_last) -> Result<void> {
    pieces.push_back({machine, PutFile{.path = to,
                                       .mode = use == FileUse::executable ? 0700U : 0600U,
                                       .offset = offset,
                                       .bytes = std::string(bytes),
                                       .last = is_last}});
    offset += bytes.size();
    if (pieces.size() < kPiecesAtOnce && !is_last) return {};
    for (auto& answer : machines_.ask(std::exchange(pieces, {})))
      if (auto done = expect<Done>(std::move(answer)); !done) return done.error();
    return {};
  });
}

}  // namespace dpm::control
