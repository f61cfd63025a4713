#include "view/server/gate.hpp"

#include <openssl/crypto.h>

#include <algorithm>

namespace dpm::view {
namespace {

constexpr std::string_view kAnswers = "api/";

// In a time that does not depend on where they differ.
bool is_same(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

// `rest` is what stands behind the token. Nothing is decoded: each address can be written in one way only.
std::optional<Admission> find_place(std::string_view rest) {
  const auto question = std::min(rest.find('?'), rest.size());
  const auto path = rest.substr(0, question);
  const auto query = rest.substr(std::min(question + 1, rest.size()));
  if (path.empty()) return Admission{Place::page_without_slash, {}, {}};
  if (path == "/") return Admission{Place::page, {}, {}};
  if (path == "/socket") return Admission{Place::socket, {}, {}};
  if (path == "/metrics") return Admission{Place::metrics, {}, {}};
  if (path.substr(1).starts_with(kAnswers)) return Admission{Place::answer, path.substr(1 + kAnswers.size()), query};
  return std::nullopt;
}

}  // namespace

std::variant<Admission, Refusal> Gate::judge(const Knock& knock) const {
  if (!knock.host || !names_.contains(*knock.host)) return Refusal::host;
  if (knock.has_origin && !is_own_page(knock)) return Refusal::origin;
  // Without the token, every address looks as if it did not exist.
  const bool has_token = knock.target.starts_with('/') && is_same(knock.target.substr(1, token_.size()), token_) &&
                         (knock.target.size() == 1 + token_.size() ||
                          std::string_view("/?").find(knock.target[1 + token_.size()]) != std::string_view::npos);
  if (!has_token) return Refusal::token;
  if (knock.method != "GET" && knock.method != "HEAD") return Refusal::method;
  if (knock.has_body) return Refusal::body;
  const auto found = find_place(knock.target.substr(1 + token_.size()));
  if (!found) return Refusal::path;
  if (found->place != Place::socket) return *found;
  // A browser always sends the origin of a WebSocket. It is the only thing that tells our page from another one.
  if (!knock.has_origin) return Refusal::origin;
  if (knock.method != "GET" || !knock.wants_socket) return Refusal::malformed;
  return *found;
}

bool Gate::is_own_page(const Knock& knock) const {
  const auto is_own_of = [&](std::string_view origin) {
    return origin.starts_with(scheme_) && origin.substr(scheme_.size()) == *knock.host;
  };
  return knock.origin && is_own_of(*knock.origin);
}

}  // namespace dpm::view
