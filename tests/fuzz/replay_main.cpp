// Feeds a fuzz target everything in its corpus, without a fuzzer: what was found once is tested in every build and
// under every sanitizer. Each file is also cut short in several places, because truncation is what parsers most often
// get wrong.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kCuts = 16;

// A buffer of exactly `size`, so that a sanitizer sees a read past its end.
void feed(const std::string& bytes, std::size_t size) {
  const std::vector<std::uint8_t> input(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CORPUS_DIRECTORY\n", argv[0]);
    return 2;
  }
  feed("", 0);
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(argv[1])) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);  // the last name printed is the input that broke it
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    feed(bytes, bytes.size());
    for (std::size_t cut = 1; cut < kCuts; ++cut) feed(bytes, bytes.size() * cut / kCuts);
  }
  std::printf("%zu inputs replayed\n", files.size());
  return 0;
}
