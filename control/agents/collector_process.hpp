// The agent of one filter. It collects what meters send (control/transport/collector/filter_collector.hpp), runs the
// filter's program and outlives the daemon. Control messages tell it to end (agent_service.hpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "control/agents/agent_service.hpp"
#include "control/agents/filter_tunnels.hpp"
#include "control/transport/collector/filter_collector.hpp"
#include "trace/recording_lock.hpp"

namespace dpm {

class CollectorProcess {
 public:
  // `daemon` is the connection to the daemon that started us.
  static Result<void> run(UniqueFd daemon, const std::string& machine);

 private:
  using RequestId = AgentService::RequestId;

  CollectorProcess(asio::io_context& context, std::string machine);

  control::ManagedProcess describe() const;
  void on_request(RequestId id, control::RequestBody request);
  Result<control::FilterCreated> create(const control::CreateFilter& request);
  void finish();
  void look();
  void note_account(const FilterAccount& account);
  control::ReplyBody delivered_piece(const control::GetLog& request);

  asio::io_context& context_;
  std::string machine_;
  AgentService service_;
  control::ManagedProcess managed_;
  std::unique_ptr<FilterCollector> collector_;
  FilterTunnels tunnels_;
  RecordingLock log_lock_;  // until it is released: the log is not removed by mistake
  std::vector<RequestId> releasers_, enders_;

  std::string how_ended_;  // the filter; empty while it runs, or if it was told to end
  bool is_over_ = false;   // the collector has finished its log
  std::string delivered_;  // what is fetched of the collector's report: that of the first piece, or the last one
};

}  // namespace dpm
