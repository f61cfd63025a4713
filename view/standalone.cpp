#include "view/standalone.hpp"

#include "model/check.hpp"
#include "view/style.hpp"

namespace dpm::view {

std::string standalone(const std::string& svg) {
  const std::size_t inside = svg.find('>');
  DPM_CHECK(svg.rfind("<svg", 0) == 0 && inside != std::string::npos);
  return svg.substr(0, inside + 1) + "\n<style><![CDATA[" + std::string(style_sheet()) +
         "svg { background: var(--card); }\n]]></style>" + svg.substr(inside + 1) + "\n";
}

}  // namespace dpm::view
