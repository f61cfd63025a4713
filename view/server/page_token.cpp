#include "view/server/page_token.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "os/hexadecimal.hpp"
#include "os/random.hpp"
#include "os/unique_fd.hpp"
#include "os/whole_io.hpp"

namespace dpm::view {
namespace {

constexpr std::size_t kTokenBytes = 16, kDigits = 2 * kTokenBytes;

bool is_token(const std::string& text) {
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Result<std::string> make_token_file(const std::string& path) {
  auto token = new_token();
  if (!token) return token;
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return Error::from_errno(fmt::format("make the token file '{}'", path));
  if (write_all(file.get(), *token + "\n")) return token;
  const auto failed = Error::from_errno(fmt::format("write the token file '{}'", path));
  ::unlink(path.c_str());
  return failed;
}

Result<void> check_owner(const std::string& path, int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return Error::from_errno(fmt::format("read the token file '{}'", path));
  if (!S_ISREG(status.st_mode)) return Error{fmt::format("the token file '{}' is not an ordinary file", path)};
  if (status.st_uid != ::geteuid())
    return Error{fmt::format("the token file '{}' belongs to another account: name one of your own", path)};
  if ((status.st_mode & 0077) == 0) return {};
  return Error{fmt::format(
      "others have rights to the token file '{}' and may know the token: remove it, and a new one is made", path)};
}

}  // namespace

Result<std::string> new_token() {
  std::array<unsigned char, kTokenBytes> token = {};
  if (auto drawn = draw_random(token); !drawn) return drawn.error();
  return hexadecimal(token);
}

Result<std::string> kept_token(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!file && errno == ENOENT) return make_token_file(path);
  if (!file) return Error::from_errno(fmt::format("read the token file '{}'", path));
  if (auto owned = check_owner(path, file.get()); !owned) return owned.error();
  std::string text(kDigits + 2, '\0');
  const ssize_t count = ::read(file.get(), text.data(), text.size());
  if (count < 0) return Error::from_errno(fmt::format("read the token file '{}'", path));
  text.resize(static_cast<std::size_t>(count));
  if (text.ends_with('\n')) text.pop_back();
  if (is_token(text)) return text;
  return Error{
      fmt::format("the token file '{}' does not have a token, {} hexadecimal digits: remove it, and a new one is made",
                  path, kDigits)};
}

}  // namespace dpm::view
