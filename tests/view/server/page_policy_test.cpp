#include "view/server/page_policy.hpp"

#include "tests/support/catch.hpp"

using namespace dpm::view;
using Texts = std::vector<std::string>;

TEST_CASE("page policy: it has the hashes of inline scripts and styles, and allows nothing else", "[server]") {
  // printf 'alert(1)' | openssl dgst -sha256 -binary | base64
  CHECK(page_policy("<html><style>p{}</style><script>alert(1)</script>", "ws://127.0.0.1:80") ==
        "default-src 'none'; script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='; "
        "style-src 'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='; connect-src 'self' ws://127.0.0.1:80; "
        "img-src 'self' data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'");
  CHECK(page_policy("<p>", "").find("script-src 'none'; style-src 'none'; connect-src 'self';") != std::string::npos);
}

TEST_CASE("page policy: inline texts are found as a browser finds them", "[server]") {
  CHECK(inline_texts("<script>a</script><SCRIPT type='m>' >b<\n</Script >", "script") == Texts{"a", "b<\n"});
  CHECK(inline_texts("<scripts>a</scripts><script", "script").empty());
  CHECK(inline_texts("<script>a\r\nb\rc</script>", "script") == Texts{"a\nb\nc"});
  CHECK(inline_texts("<script>if (a<script>b) {}</script>c", "script") == Texts{"if (a<script>b) {}"});
  CHECK(inline_texts("<script>open", "script") == Texts{"open"});
  CHECK(inline_texts("", "script").empty());
}
