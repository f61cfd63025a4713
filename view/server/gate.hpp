// Decides what becomes of an HTTP request, from its first lines alone. No I/O.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "view/server/host_names.hpp"
#include "view/server/server_counters.hpp"

namespace dpm::view {

// What a request says. A header that is missing, or there twice, is empty.
struct Knock {
  std::string_view method, target;
  std::optional<std::string_view> host, origin;
  bool has_origin = false;  // one, or several
  bool wants_socket = false;
  bool has_body = false;
};

enum class Place { page, page_without_slash, socket, answer, metrics };

struct Admission {
  Place place = Place::page;
  std::string_view name, query;  // of an answer; they lie in the target
};

class Gate {
 public:
  Gate(std::string token, HostNames names, bool has_tls)
      : token_(std::move(token)), names_(std::move(names)), scheme_(has_tls ? "https://" : "http://") {}

  // Names come before the token, so that a page of another site cannot even try tokens.
  std::variant<Admission, Refusal> judge(const Knock& knock) const;

 private:
  bool is_own_page(const Knock& knock) const;

  std::string token_;
  HostNames names_;
  std::string scheme_;
};

}  // namespace dpm::view
