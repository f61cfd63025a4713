// A connection that only those who have a secret can speak over: TLS 1.3 with the secret as an external pre-shared key
// (RFC 8446 2.2), with a fresh Diffie-Hellman exchange. There are no certificates: a handshake that succeeds has shown
// to both ends that the other one has the secret, and what is said cannot be read, changed or replayed by anybody else,
// also not by who learns the secret later. A wrong secret fails the handshake.
//
// Over a socket that never blocks; every call says what it waits for. Whoever uses it ignores SIGPIPE or blocks it in
// his thread: OpenSSL writes with write(2). The only home of <openssl/ssl.h>.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

enum class TlsRole { client, server };

class TlsContext {
 public:
  // `secret` is 64 hexadecimal digits.
  static Result<TlsContext> create(TlsRole role, const std::string& secret);
  TlsContext(TlsContext&&) noexcept;
  TlsContext& operator=(TlsContext&&) noexcept;
  ~TlsContext();

 private:
  friend class TlsStream;
  struct State;
  explicit TlsContext(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// 64 hexadecimal digits from the system's random numbers.
Result<std::string> new_secret();

enum class TlsStatus { done, wants_read, wants_write, closed, failed };

class TlsStream {
 public:
  // The context lives longer.
  TlsStream(const TlsContext& context, UniqueFd socket);
  TlsStream(TlsStream&&) noexcept;
  TlsStream& operator=(TlsStream&&) noexcept;
  ~TlsStream();  // closes the socket

  TlsStatus handshake();  // again, until it is done

  struct Progress {
    TlsStatus status = TlsStatus::done;
    std::size_t bytes = 0;
  };
  Progress read(std::span<char> buffer);
  Progress write(std::string_view bytes);
  void say_goodbye();  // so that the other end knows that nothing was cut off

  int fd() const;
  const std::string& problem() const;  // after `failed`

 private:
  struct State;
  TlsStatus status_of(int result);
  std::unique_ptr<State> state_;
};

}  // namespace dpm
