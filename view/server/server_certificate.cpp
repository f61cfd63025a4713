#include "view/server/server_certificate.hpp"

#include <fmt/format.h>

#include "view/server/beast.hpp"

namespace dpm::view {

ServerCertificate::ServerCertificate(std::unique_ptr<asio::ssl::context> context) : context_(std::move(context)) {}
ServerCertificate::ServerCertificate(ServerCertificate&&) noexcept = default;
ServerCertificate& ServerCertificate::operator=(ServerCertificate&&) noexcept = default;
ServerCertificate::~ServerCertificate() = default;

Result<ServerCertificate> ServerCertificate::read(const std::string& certificate_file, const std::string& key_file) {
  using Context = asio::ssl::context;
  auto context = std::make_unique<Context>(Context::tls_server);
  AsioError failed;
  context->set_options(Context::default_workarounds | Context::no_sslv2 | Context::no_sslv3 | Context::no_tlsv1 |
                           Context::no_tlsv1_1 | Context::no_compression,
                       failed);
  if (failed) return Error{fmt::format("prepare TLS: {}", failed.message())};
  context->use_certificate_chain_file(certificate_file, failed);
  if (failed)
    return Error{fmt::format("read the certificate {}: {}; a certificate is a PEM file (BEGIN CERTIFICATE)",
                             certificate_file, failed.message())};
  context->use_private_key_file(key_file, Context::pem, failed);
  if (failed)
    return Error{
        fmt::format("read the key {} of the certificate {}: {}; a key is a PEM file (BEGIN PRIVATE KEY) without "
                    "a password",
                    key_file, certificate_file, failed.message())};
  return ServerCertificate(std::move(context));
}

}  // namespace dpm::view
