// Where a program is (S3 3.4). A Point declared at the beginning of a function tells when the function is entered and left.
//
//   void serve() {
//     Point here(&monitor, "serve", "serving");   // point_enter, point_leave
//     here.force(7);                              // point_forced, with a value
#pragma once

#include <dpm/monitor/object.hpp>

namespace dpm::monitor {

class Point : private Named {
 public:
  Point(Monitor* owner, const char* function, const char* name, Report report = Report::kYes)
      : Named(owner, Kind::kPoint, function, name, true), report_(report) {
    happened(Action::kEnter, 0, report_);
  }
  ~Point() { happened(Action::kLeave, 0, report_); }
  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;

  void force(std::int64_t value = 0) const { happened(Action::kForced, value); }

 private:
  Report report_;
};

}  // namespace dpm::monitor
