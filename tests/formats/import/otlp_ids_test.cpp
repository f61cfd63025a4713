#include "formats/otlp/otlp_ids.hpp"

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

TEST_CASE("otlp ids: they are equal where the texts of trace and span are", "[import]") {
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"5b8efff798038103d269b633813fc60c", "00000000000000ff"},
      {"5b8efff798038103d269b633813fc60d", "00000000000000ff"},
      {"5b8efff798038103d269b633813fc60c", "00000000000000FF"},
      {"5b8efff798038103d269b633813fc60c", "ff"},
      {"5b8efff798038103d269b633813fc60c", "0000000000000000"},
      {"a", "not a number"},
      {"a b", "c"},
      {"a", "b c"},
      {"a", "00000000000000f-"},
      {"a", ""}};
  OtlpIds ids;
  std::vector<OtlpSpanId> numbers;
  for (const auto& [trace, span] : texts) numbers.push_back(ids.add(trace, span));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CHECK_FALSE(numbers[i].is_none());
    CHECK(ids.text(numbers[i]) == texts[i].first + ' ' + texts[i].second);
    for (std::size_t j = 0; j < texts.size(); ++j)
      CHECK((ids.add(texts[j].first, texts[j].second) == numbers[i]) == (i == j));
  }
}

}  // namespace
}  // namespace dpm
