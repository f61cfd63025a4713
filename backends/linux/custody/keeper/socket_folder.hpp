// The folder with the sockets of keepers, meters and daemons, which only its owner can enter.
//
// socket_places.hpp tells where it can be. A folder that another user owns or may enter, or that is a link, is passed over, and
// so are files and listeners of other users in it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class SocketFolder {
 public:
  // Our folder: the first that exists and takes files, or else the first that can be made.
  static Result<SocketFolder> own();
  // own(), and then the other folders that earlier processes may have got from it.
  static Result<std::vector<SocketFolder>> all_own();
  // The existing folders in which to look for sockets of `user`: our own, and for root also that user's.
  static std::vector<SocketFolder> about(uid_t user);
  // Our own, and for root those of every account.
  static std::vector<SocketFolder> everywhere();

  // A listening, non-blocking socket; `type` is SOCK_STREAM or SOCK_SEQPACKET. It gets its name after it listens, so that
  // a socket that refuses connections belongs to a dead process.
  Result<UniqueFd> listen(const std::string& name, int type) const;
  // Empty if no process listens any more, which removes the name, or if the listener is not the folder's owner. Neither
  // this nor later calls on the connection wait longer than some seconds.
  UniqueFd connect(const std::string& name, int type) const;
  void remove(const std::string& name) const;

  std::vector<std::string> names(const std::string& prefix) const;

  // Waits for the lock of the folder, which is held until the result is destroyed.
  UniqueFd lock() const;

  int fd() const { return folder_.get(); }

 private:
  SocketFolder(UniqueFd folder, uid_t owner) : folder_(std::move(folder)), owner_(owner) {}
  static Result<SocketFolder> make(const std::string& path);
  bool takes_files() const;
  static Result<SocketFolder> open(const std::string& path, uid_t owner);
  static std::vector<SocketFolder> existing(const std::vector<std::string>& places, uid_t owner);

  UniqueFd folder_;
  uid_t owner_ = 0;
};

// The process at the other end of a connection.
struct SocketPeer {
  pid_t pid = 0;
  uid_t user = 0;
  // True for our own account and root.
  bool may_ask() const;
};
SocketPeer peer_of(int connection);

}  // namespace dpm
