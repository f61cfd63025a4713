// Where one end of a stream stands, when the kernel tells of each operation how many bytes it moved, and where the stream
// stood by the kernel's own count.
//
// Operations are placed one after the other, in the order in which they are told. The kernel's count is the check: when it
// is ahead, bytes were moved that were not told, a GAP. But the counts of two threads that use one stream at once overlap:
//
//     thread A sends 10     ├──────┤ told: 10 bytes, the stream stood at 15        ahead by 15
//     thread B sends 15        ├──────┤ told: 15 bytes, the stream stood at 0      not ahead any more
//
// So bytes are missing only if the count stays ahead by the same amount.
#pragma once

#include <cstdint>
#include <optional>

namespace dpm {

class ToldOffset {
 public:
  static constexpr int kBits = 48;  // of the kernel's count that are told
  static constexpr std::uint64_t kNotTold = (std::uint64_t{1} << kBits) - 1;
  static constexpr std::int64_t kTogetherNs = 10'000'000;  // operations that overlap are told within this time

  struct Placed {
    std::uint64_t offset = 0;
    std::uint64_t gap_bytes = 0;  // that are missing before `offset`
  };
  // `bytes` were moved, and the stream had stood at `told`. `some_are_lost`: records are known to be missing, so a count
  // that is ahead is believed at once.
  Placed take(std::uint64_t told, std::uint64_t bytes, std::int64_t now_ns, bool some_are_lost) {
    if (!next_) next_ = told == kNotTold ? 0 : told;
    const std::int64_t ahead = told == kNotTold ? 0 : difference(told, *next_ - shift_);
    Placed placed{*next_, 0};
    if (ahead == 0) {
      is_ahead_ = false;
    } else if (some_are_lost || is_old(ahead, now_ns)) {
      placed = catch_up(ahead);
    } else if (!is_ahead_ || ahead_ != ahead) {
      is_ahead_ = true;
      ahead_ = ahead;
      ahead_since_ns_ = now_ns;
    }
    next_ = placed.offset + bytes;
    return placed;
  }
  // The stream has passed a byte that it does not give.
  void pass_one() {
    if (next_) ++*next_;
  }
  // Nothing more will be told: how many bytes are missing at the end.
  std::uint64_t end() { return is_ahead_ && ahead_ > 0 ? catch_up(ahead_).gap_bytes : 0; }
  std::optional<std::uint64_t> next() const { return next_; }

 private:
  static std::int64_t difference(std::uint64_t told, std::uint64_t expected) {
    constexpr int kUnused = 64 - kBits;
    return static_cast<std::int64_t>((told - expected) << kUnused) >> kUnused;
  }
  bool is_old(std::int64_t ahead, std::int64_t now_ns) const {
    return is_ahead_ && ahead_ == ahead && now_ns - ahead_since_ns_ > kTogetherNs;
  }
  // A count that fell behind began again: it is not asked for what is missing.
  Placed catch_up(std::int64_t ahead) {
    is_ahead_ = false;
    if (ahead < 0) {
      shift_ -= static_cast<std::uint64_t>(ahead);
      return {*next_, 0};
    }
    return {*next_ + static_cast<std::uint64_t>(ahead), static_cast<std::uint64_t>(ahead)};
  }

  std::optional<std::uint64_t> next_;
  std::uint64_t shift_ = 0;  // of the count against the offsets
  bool is_ahead_ = false;
  std::int64_t ahead_ = 0, ahead_since_ns_ = 0;
};

}  // namespace dpm
