// Which of the ways to meter serves a program: the one that was asked for, or with "auto" the first that can be used here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/metering_method.hpp"
#include "model/result.hpp"

namespace dpm {

class SourceChooser {
 public:
  static constexpr const char* kAuto = "auto";

  // `methods`: in the order in which "auto" tries them; the last is for every account.
  explicit SourceChooser(std::vector<std::unique_ptr<MeteringMethod>> methods);

  // "auto" and the names of the methods.
  std::vector<std::string> names() const;
  const std::vector<std::unique_ptr<MeteringMethod>>& methods() const { return methods_; }

  // What the metering needs from its method.
  struct Wishes {
    bool callers = false;           // MeterOptions::callers
    std::uint32_t running_pid = 0;  // acquires this process; 0: starts one
    bool scope = false;             // acquires a MeteringMethod::Scope
    bool hand_overs = false;        // MeteringMethod::Options::hand_overs
  };
  struct Choice {
    std::vector<const MeteringMethod*> methods;  // the first; the others only if it fails before anything has begun
    std::string reason;                          // as MeteredFacts::source
  };
  // Fails if the method that was asked for cannot be used here, with what would help.
  Result<Choice> choose(const std::string& name, const Wishes& wishes) const;

  // Begins with the first of the methods that can; `choice` says which afterwards.
  using Begin = std::function<Result<std::unique_ptr<MeteredRun>>(const MeteringMethod&)>;
  static Result<std::unique_ptr<MeteredRun>> begin(Choice& choice, const Begin& begin);

 private:
  Result<Choice> choose_named(const std::string& name, const Wishes& wishes) const;
  // The first that is able to, and what it does as users say it.
  using IsAble = bool (MeteringMethod::*)() const;
  Result<Choice> choose_able(IsAble is_able, const std::string& what) const;
  Choice choose_first(const Wishes& wishes) const;

  std::vector<std::unique_ptr<MeteringMethod>> methods_;
};

}  // namespace dpm
