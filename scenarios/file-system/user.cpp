#include "scenarios/file-system/user.hpp"

#include <algorithm>

#include "scenarios/file-system/protocol.hpp"
#include "scenarios/file-system/service_times.hpp"

namespace dpm::scenarios::file_system {
namespace {

constexpr std::uint32_t kMostUsers = 255;  // a user's number is one byte of a request

// What a user does next.
struct Access {
  MessageCode code = kRead;
  BlockId block;
  bool is_new = false;
};

// Every request is a part of a block, so a block is used several times in a row.
class SequentialAccesses {
 public:
  SequentialAccesses(const Settings& settings, std::uint32_t user)
      : requests_per_block_(settings.count("requests_per_block", 1)),
        requests_of_pass_(settings.count("sequential_blocks", 1, 65535) * requests_per_block_),
        file_(user) {}

  Access next() {
    const auto block = static_cast<std::uint16_t>(position_ / requests_per_block_);
    const Access access{writing_ ? kWrite : kRead, {file_, block, false}, writing_};
    if (++position_ == requests_of_pass_) {
      position_ = 0;
      writing_ = !writing_;
      if (writing_) file_ += kMostUsers;  // a file that no user has read
    }
    return access;
  }

 private:
  const std::uint32_t requests_per_block_, requests_of_pass_;
  std::uint32_t file_;
  std::uint32_t position_ = 0;
  bool writing_ = true;
};

class RandomAccesses {
 public:
  RandomAccesses(const Settings& settings, std::uint32_t user)
      : blocks_(settings.count("random_blocks", 1, 65535)),
        read_probability_(settings.probability("read_probability")),
        file_(user) {}

  Access next(Random& random) const {
    const bool is_read = random.chance(read_probability_);
    return {is_read ? kRead : kWrite, {file_, static_cast<std::uint16_t>(random.below(blocks_)), false}, false};
  }

 private:
  const std::uint32_t blocks_;
  const double read_probability_;
  const std::uint32_t file_;
};

class User {
 public:
  User(const Settings& settings, MessageCalls& calls)
      : calls_(calls),
        times_(settings, calls),
        number_(settings.count("number", 1, kMostUsers)),
        requests_(settings.count("requests")),
        requests_per_open_(settings.count("requests_per_open", 1)),
        think_time_(settings.time("think_s")),
        request_bytes_(settings.count("request_bytes", kRequestBytes)),
        sequential_(settings, number_),
        random_(settings, number_),
        request_interpreter_(calls.link_to("request_interpreter")) {
    const auto random_users = settings.numbers("random_users");
    is_random_ = std::find(random_users.begin(), random_users.end(), number_) != random_users.end();
    const std::uint32_t data_bytes = settings.count("data_bytes", 1);
    calls.address_space().resize(data_bytes);
    data_area_ = calls.create_link(DataArea{.offset_bytes = 0, .size_bytes = data_bytes, .read = true, .write = true});
  }

  void run() {
    think(about_access({}));
    for (std::uint32_t made = 0; made < requests_; ++made) {
      const Access access = is_random_ ? random_.next(calls_.random()) : sequential_.next();
      if (made % requests_per_open_ == 0) ask({kOpen, access.block, false}, data_area_);
      ask(access, std::nullopt);
    }
    calls_.send_message(calls_.link_to("name_server"), about({}, kLogOut, request_bytes_));
  }

 private:
  void ask(const Access& access, std::optional<LinkIndex> pass) {
    const Request request = about_access(access);
    calls_.call(request_interpreter_, about(request, access.code, request_bytes_, pass));
    think(request);
  }

  Request about_access(const Access& access) {
    Request request;
    request.tag = static_cast<std::uint32_t>(calls_.random().next());
    request.block = access.block;
    request.user = static_cast<std::uint8_t>(number_);
    request.is_new = access.is_new;
    return request;
  }

  void think(const Request& request) {
    times_.begin(request, kDone);
    times_.compute(think_time_);
  }

  MessageCalls& calls_;
  ServiceTimes times_;
  const std::uint32_t number_, requests_, requests_per_open_;
  const Duration think_time_;
  const std::uint32_t request_bytes_;
  SequentialAccesses sequential_;
  RandomAccesses random_;
  const LinkIndex request_interpreter_;
  LinkIndex data_area_;
  bool is_random_ = false;
};

void run_user(const Settings& settings, MessageCalls& calls) { User(settings, calls).run(); }

}  // namespace

ProgramDescription user() {
  return describe("user", "Asks the file system: writes and reads files one after another, or blocks at random.",
                  with_service_times({
                      {"number", 1.0, "which user it is (1 to 255)"},
                      {"requests", 146.0, "READs and WRITEs it makes"},
                      {"requests_per_open", 24.0, "READs and WRITEs to an OPEN"},
                      {"think_s", 0.0025, "CPU time between answer and next request, mean, seconds"},
                      {"request_bytes", 16.0, "length of a request, bytes"},
                      {"data_bytes", 256.0, "size of its data area, bytes"},
                      {"random_users", std::vector<double>{3, 5, 7}, "which users access at random"},
                      {"sequential_blocks", 19.0, "sequential: blocks of a file"},
                      {"requests_per_block", 2.0, "sequential: requests for a block"},
                      {"random_blocks", 58.0, "random: blocks of the file"},
                      {"read_probability", 0.89, "random: that a request is a READ"},
                  }),
                  run_user);
}

}  // namespace dpm::scenarios::file_system
