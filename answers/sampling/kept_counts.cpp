#include "answers/sampling/kept_counts.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "os/new_file.hpp"
#include "sampling/counts/count_file.hpp"
#include "trace/files.hpp"

namespace dpm::cli {
namespace {

constexpr std::uint64_t kFirst_ns = 1'000'000'000, kLongest_ns = 60 * kFirst_ns;

}  // namespace

Result<KeptCounts> KeptCounts::create(const std::string& path) {
  if (auto made = write_new_file(path, ""); !made) return made.error();
  return KeptCounts(path);
}

KeptCounts::KeptCounts(std::string path) : path_(std::move(path)), next_ns_(kFirst_ns) {}

KeptCounts::KeptCounts(KeptCounts&& other) noexcept
    : path_(std::exchange(other.path_, {})), has_counts_(other.has_counts_), next_ns_(other.next_ns_) {}

KeptCounts::~KeptCounts() {
  if (!path_.empty() && !has_counts_) ::unlink(path_.c_str());
}

void KeptCounts::keep_at_times(const sampling::CountArray& counts, std::uint64_t elapsed_ns) {
  if (elapsed_ns < next_ns_) return;
  next_ns_ = elapsed_ns + std::min(elapsed_ns, kLongest_ns);
  static_cast<void>(write(counts));
}

Result<void> KeptCounts::write(const sampling::CountArray& counts) {
  auto written = replace_file(path_, sampling::to_text(counts));
  if (written) has_counts_ = true;
  return written;
}

}  // namespace dpm::cli
