#include "os/kernel/program_image.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "os/kernel/tracee.hpp"
#include "os/unique_fd.hpp"

namespace dpm {
namespace {

// Pairs of a type and a value, up to AT_NULL.
template <typename Word>
std::uint64_t value_of(std::uint64_t wanted, const std::byte* vector, std::size_t bytes) {
  for (std::size_t at = 0; at + 2 * sizeof(Word) <= bytes; at += 2 * sizeof(Word)) {
    std::array<Word, 2> pair{};
    std::memcpy(pair.data(), vector + at, sizeof pair);
    if (pair[0] == AT_NULL) return 0;
    if (pair[0] == wanted) return pair[1];
  }
  return 0;
}

}  // namespace

std::uint64_t random_bytes_at(const std::byte* vector, std::size_t bytes) {
  // Types are small: in a 32-bit program's vector, each pair read as one word is beyond all of them.
  const std::uint64_t at = value_of<std::uint64_t>(AT_RANDOM, vector, bytes);
  return at != 0 ? at : value_of<std::uint32_t>(AT_RANDOM, vector, bytes);
}

std::optional<ProgramImage> read_program_image(std::uint32_t pid, std::uint32_t tid) {
  const UniqueFd file(::open(fmt::format("/proc/{}/task/{}/auxv", pid, tid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<std::byte, 1024> vector;
  const ssize_t length = file ? ::read(file.get(), vector.data(), vector.size()) : 0;
  if (length <= 0) return std::nullopt;
  ProgramImage image;
  image.random_at = random_bytes_at(vector.data(), static_cast<std::size_t>(length));
  if (image.random_at == 0 || read_memory(tid, image.random_at, image.random) < image.random.size())
    return std::nullopt;
  return image;
}

}  // namespace dpm
