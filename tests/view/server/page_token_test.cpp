// The token of a page, kept in a file.
#include "view/server/page_token.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::view;
namespace fs = std::filesystem;

namespace {

struct Folder {
  Folder() { REQUIRE(::mkdtemp(name.data()) != nullptr); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(name); }
  std::string operator/(const std::string& file) const { return name + "/" + file; }

  std::string name = fs::temp_directory_path() / "dpm-token-XXXXXX";
};

}  // namespace

TEST_CASE("page token: a file keeps it, and only its owner may read it", "[server]") {
  Folder folder;
  const std::string path = folder / "token";
  const auto first = kept_token(path);
  REQUIRE(first);
  CHECK(first->size() == 32);
  CHECK(*first != new_token().value());
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(kept_token(path).value() == *first);
}

TEST_CASE("page token: a file that others may know, or that has no token, is refused and stays as it is", "[server]") {
  const std::string good(32, 'a');
  struct Case {
    const char* text;
    mode_t mode;
    const char* refusal;
  };
  const Case cases[] = {
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0600, ""},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", 0400, ""},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", 0640, "others have rights"},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", 0604, "others have rights"},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", 0620, "others have rights"},
      {"", 0600, "does not have a token"},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", 0600, "does not have a token"},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", 0600, "does not have a token"},
      {"../../../../../etc/passwd0000000\n", 0600, "does not have a token"},
      {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n", 0600, "does not have a token"},
  };
  Folder folder;
  const std::string path = folder / "token";
  for (const auto& [text, mode, refusal] : cases) {
    fs::remove(path);
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    INFO(text << " " << mode);
    const auto token = kept_token(path);
    if (*refusal == '\0') {
      REQUIRE(token);
      CHECK(*token == good);
    } else {
      REQUIRE_FALSE(token);
      CHECK(token.error().what.find(refusal) != std::string::npos);
      CHECK(token.error().what.find(path) != std::string::npos);
    }
  }
  fs::remove(path);
  fs::create_symlink(folder / "elsewhere", path);
  CHECK_FALSE(kept_token(path));
  CHECK_FALSE(kept_token(folder / "no/such/folder"));
  CHECK_FALSE(kept_token(folder / "."));
  fs::remove(path);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK_FALSE(kept_token(path));
}
