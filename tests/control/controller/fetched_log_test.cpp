#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "control/controller/user_files.hpp"
#include "tests/support/catch.hpp"

using namespace dpm::control;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() {
    std::string pattern = fs::temp_directory_path() / "dpm-fetched-XXXXXX";
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() { fs::remove_all(path_); }
  fs::path operator/(const std::string& name) const { return path_ / name; }
  auto entries() const { return fs::directory_iterator(path_); }

 private:
  fs::path path_;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("fetched log: appears complete, and nothing else stays", "[controller]") {
  const Folder folder;
  {
    auto log = FetchedLog::begin(folder / "log");
    REQUIRE(log);
    REQUIRE(log->append("a/b", "one "));
    REQUIRE(log->append("a/b", "two"));
    CHECK(!fs::exists(folder / "log"));
    REQUIRE(log->finish());
    CHECK(!log->append("../c", ""));
  }
  CHECK(text_of(folder / "log" / "a" / "b") == "one two");
  CHECK(std::distance(begin(folder.entries()), end(folder.entries())) == 1);
  {
    auto log = FetchedLog::begin(folder / "file");
    REQUIRE((log && log->append(".", "text") && log->finish()));
  }
  CHECK(text_of(folder / "file") == "text");
  { REQUIRE(FetchedLog::begin(folder / "unfinished")->append("a", "b")); }
  CHECK(std::distance(begin(folder.entries()), end(folder.entries())) == 2);
}

TEST_CASE("fetched log: what other users put beside it leads nowhere", "[controller]") {
  const Folder folder;
  fs::create_directory(folder / "elsewhere");
  auto log = FetchedLog::begin(folder / "log");
  REQUIRE(log);
  std::size_t private_folders = 0;
  for (const auto& entry : folder.entries()) {
    struct stat status {};
    REQUIRE(::lstat(entry.path().c_str(), &status) == 0);
    if (entry.path().filename() != "elsewhere" && status.st_mode == (S_IFDIR | S_IRWXU)) ++private_folders;
  }
  CHECK(private_folders == 1);
  std::error_code taken;
  fs::create_directory_symlink(folder / "elsewhere", folder / fmt::format(".log.partial-{}", ::getpid()), taken);
  REQUIRE((log->append("a/b", "text") && log->finish()));
  CHECK(fs::is_empty(folder / "elsewhere"));
  CHECK(text_of(folder / "log" / "a" / "b") == "text");
}
