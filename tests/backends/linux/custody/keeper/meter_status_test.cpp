#include "backends/linux/custody/keeper/meter_status.hpp"

#include "tests/support/catch.hpp"

using namespace dpm;

TEST_CASE("meter status: a reader gets what the meter said", "[keeper]") {
  const MeterStatus said{100,        "sh -c 'a=1 b=2'", *apply_flags(MeterFlags(), "send"), 7, 3,
                         1790000000, "/tmp/50% of it"};
  const auto heard = status_from_line(to_line(said));
  REQUIRE(heard);
  CHECK(heard->pid == 100);
  CHECK(heard->command == said.command);
  CHECK(heard->flags == said.flags);
  CHECK(heard->events == 7);
  CHECK(heard->lost == 3);
  CHECK(heard->since_s == 1790000000);
  CHECK(heard->output == said.output);
}

TEST_CASE("meter status: words of another version are ignored, what is not a status is refused", "[keeper]") {
  const auto newer = status_from_line("pid=1 colour=red flags=none command=x");
  REQUIRE(newer);
  CHECK(newer->pid == 1);
  CHECK(newer->flags.none());
  const auto older = status_from_line("pid=100 events=2344 flags=send,receive command=redis-server --port 0");
  REQUIRE(older);
  CHECK(older->events == 2344);
  CHECK(older->output.empty());
  CHECK_FALSE(status_from_line(""));
  CHECK_FALSE(status_from_line("hello"));
  CHECK_FALSE(status_from_line("pid=x command=y"));
}
