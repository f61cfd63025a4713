cmake_policy(VERSION 3.25)
# Puts the script and the style into the page, and their SHA-256 into a header: a browser runs an inline script only if the policy
# of the page names its hash.
file(READ ${TEMPLATE} page)
file(READ ${SCRIPT} script)
file(READ ${STYLE} style)
string(STRIP "${script}" script)
string(STRIP "${style}" style)
string(SHA256 script_hash "${script}")
string(SHA256 style_hash "${style}")
string(REPLACE "/*style*/" "${style}" page "${page}")
string(REPLACE "/*script*/" "${script}" page "${page}")
file(WRITE ${PAGE} "${page}")
file(CONFIGURE OUTPUT ${HASHES} @ONLY CONTENT "// SHA-256 of the inline script and the inline style of the page, in hexadecimal digits.
#pragma once
namespace dpm::view {
inline constexpr const char* kPageScriptHash = \"@script_hash@\";
inline constexpr const char* kPageStyleHash = \"@style_hash@\";
}  // namespace dpm::view
")
