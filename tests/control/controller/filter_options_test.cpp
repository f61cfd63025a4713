#include "control/controller/filter_options.hpp"

#include "tests/support/catch.hpp"

namespace dpm::control {
namespace {

TEST_CASE("filter options: are taken out of the words, wherever they stand", "[controller]") {
  Words words = {"f1", "--port", "4000-4010", "blue", "filter"};
  const auto options = take_filter_options(words).value();
  CHECK(options.port_first == 4000);
  CHECK(options.port_last == 4010);
  CHECK(!options.through_controller);
  CHECK(words == Words{"f1", "blue", "filter"});
  words = {"f1", "blue", "--through=controller"};
  CHECK(take_filter_options(words).value().through_controller);
  CHECK(words == Words{"f1", "blue"});
  words = {"f1", "--port=4000"};
  CHECK(take_filter_options(words).value().port_last == 4000);
}

TEST_CASE("filter options: wrong ones are refused", "[controller]") {
  for (const Words& wrong : {Words{"f1", "--port"}, Words{"f1", "--port", "0"}, Words{"f1", "--port", "70000"},
                             Words{"f1", "--port", "20-10"}, Words{"f1", "--port", "10-"}, Words{"f1", "--port", "x"},
                             Words{"f1", "--through", "red"}, Words{"f1", "--through"}, Words{"f1", "--prot", "10"},
                             Words{"f1", "--port", "10", "--through", "controller"}}) {
    Words words = wrong;
    CHECK(!take_filter_options(words));
  }
}

}  // namespace
}  // namespace dpm::control
