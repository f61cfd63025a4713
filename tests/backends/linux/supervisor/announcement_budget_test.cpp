#include "backends/linux/supervisor/announcement_budget.hpp"

#include "tests/support/catch.hpp"

namespace dpm {

TEST_CASE("announcement budget: after a hundred in a second, listening pauses until it is over", "[linux]") {
  constexpr std::int64_t kSecondNs = 1'000'000'000, kStart = 5 * kSecondNs;
  AnnouncementBudget budget;
  CHECK(budget.listens_after(99, kStart));
  CHECK_FALSE(budget.listens_after(1, kStart + 10));
  CHECK_FALSE(budget.listens_after(0, kStart + kSecondNs - 1));
  CHECK(budget.listens_after(0, kStart + kSecondNs));
  CHECK_FALSE(budget.listens_after(500, kStart + kSecondNs + 1));
}

}  // namespace dpm
