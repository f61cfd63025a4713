// Warnings that say what could not be checked, of one trace and of several that became one.
#include "model/unchecked.hpp"

#include "tests/support/catch.hpp"

namespace dpm {

TEST_CASE("unchecked: a warning with the label of its trace keeps its first words", "[model]") {
  const std::string labelled = labelled_warning("red", "not checkable: 4 datagrams on 1 socket");
  CHECK(labelled == "not checkable: red: 4 datagrams on 1 socket");
  CHECK(has_not_checkable({"another", labelled}));
  CHECK(labelled_warning("red", "clocks differ") == "red: clocks differ");
}

}  // namespace dpm
