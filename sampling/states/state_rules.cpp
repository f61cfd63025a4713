#include "sampling/states/state_rules.hpp"

#include <array>
#include <string_view>

namespace dpm::sampling {
namespace {

using enum State;

// Lists are words with spaces between them; "" fits everything. A wait channel may have `*` at its ends.
struct StateRule {
  std::string_view letters;
  std::string_view wchans;
  std::string_view calls;  // words of system_calls.hpp
  std::string_view descriptors;
  State state;
};

// Parts of the kernel that several rules name. Seen on Linux 6.1 to 6.18; suffixes of compilers (.isra.0) are cut.
constexpr std::string_view kStopped = "do_freezer_trap* __refrigerator* do_signal_stop* ptrace_stop*";
constexpr std::string_view kReclaim =
    "mem_cgroup_handle_over_high* __mem_cgroup_handle_over_high* mem_cgroup_oom* throttle_direct_reclaim* "
    "reclaim_throttle* shrink_* try_to_free_* do_try_to_free_pages* congestion_wait* out_of_memory*";
// The queue in front of a disk: tags, write-back throttling, dirty pages beyond the limit, blocks and journals in use.
constexpr std::string_view kBusyBlock =
    "balance_dirty_pages* rq_qos_wait* wbt_wait* blk_mq_get_tag* blk_queue_enter* __bio_queue_enter* "
    "__blk_queue_enter* "
    "bio_queue_enter* ioc_rqos_throttle* __lock_buffer* do_get_write_access* wait_transaction_locked* "
    "add_transaction_credits* start_this_handle* jbd2_journal_lock_updates* xlog_grant_head_wait* xfs_buf_lock*";
constexpr std::string_view kSwap =
    "do_swap_page* swap_read_* __swap_* swap_readpage* swapin_* swap_cluster_readahead* read_swap_cache_async* "
    "shmem_swapin*";
constexpr std::string_view kPage =
    "folio_wait_bit* __folio_lock* filemap_fault* wait_on_page_bit* __lock_page* "
    "migration_entry_wait* __migration_entry_wait* softleaf_entry_wait*";
constexpr std::string_view kDisk =
    "folio_wait_* __folio_lock* wait_on_page_* __lock_page* *_write_begin *_block_write_begin filemap_* __filemap_* "
    "__iomap_dio_rw* iomap_* dio_await_* __blockdev_direct_IO* blkdev_* __blkdev_* submit_bio_* bio_await* "
    "wait_on_buffer* __wait_on_buffer* bit_wait_io* out_of_line_wait_* jbd2_log_wait_* jbd2_complete_transaction* "
    "file_write_and_wait* do_writepages* write_cache_pages* wait_sb_inodes* __writeback_* wb_wait_for_completion* "
    "ext4_bread* ext4_sb_bread* ext4_read_* __ext4_* ext4_sync_* ext4_fc_* ext4_get_block* ext4_wait_* "
    "bh_read* __bread* __bh_read* xfs_buf_iowait* xfs_log_force* xlog_* xfs_file_fsync* btrfs_wait_* "
    "read_extent_buffer* "
    "wait_dev_flush* blk_execute_rq* blk_io_schedule* wait_for_device_* fuse_* request_wait_answer* __fuse_* "
    "rpc_wait_* nfs_* p9_client_rpc* io_schedule*";
// Waits for a semaphore of an inode, a directory or a file position: the function that asks for the lock.
constexpr std::string_view kInode =
    "*_write_iter *_read_iter *_file_read *_file_write *_file_llseek path_openat* open_last_lookups* lookup_slow* "
    "__lookup_slow* walk_component* do_unlinkat* do_rmdir* do_renameat2* lock_rename* lock_two_* filename_create* "
    "start_creating* start_removing* __start_dirop* start_dirop* vfs_* iterate_dir* wrap_directory_iterator* "
    "do_truncate* "
    "chmod_common* chown_common* utimes_common* vfs_utimes* ext4_*_iter xfs_ilock* btrfs_inode_lock* d_alloc_parallel* "
    "__fdget_pos* fdget_pos* __wait_on_freeing_inode* find_inode* iget_locked* ilookup* ext4_fallocate* "
    "ext4_map_blocks* "
    "ext4_setattr* ext4_truncate* sb_start_write* mnt_want_write* __sb_start_write*";
constexpr std::string_view kKernel =
    "synchronize_rcu* __wait_rcu_gp* rcu_barrier* synchronize_srcu* __synchronize_srcu* __flush_work* "
    "__flush_workqueue* flush_workqueue* wait_for_completion* cgroup_* stop_one_cpu* stop_two_cpus* membarrier_* "
    "devtmpfs_* call_usermodehelper_exec* kthread_* msleep* usleep_range* copy_net_ns* setup_net* cleanup_net* "
    "unregister_netdevice* rtnl_lock* rtnetlink_* netlink_* exp_funnel_lock* affine_move_task* __do_sys_sync* "
    "tracepoint_* exec_mmap* begin_new_exec* de_thread* mm_access* proc_* seq_read* namespace_* lock_mount*";

constexpr std::array kRules = {
    StateRule{"ZXx", "", "", "", ending},
    StateRule{"Tt", "", "", "", stopped},
    StateRule{"R", "", "", "", cpu_run},

    // In any call.
    StateRule{"SD", kStopped, "", "", stopped},
    StateRule{"SD", "handle_userfault*", "", "", page_wait},
    StateRule{"SD", kReclaim, "", "", memory_reclaim},
    StateRule{"SD", "io_wq_worker* io_sq_thread* io_cqring_* io_uring_*", "", "", io_uring},

    // No signal ends these.
    StateRule{"D", kBusyBlock, "", "", busy_block},
    StateRule{"D", kSwap, "", "", swap},
    StateRule{"D", kPage, "fault", "", page_wait},
    StateRule{"D", kDisk, "fault", "", page_wait},
    StateRule{"D", kInode, "read write splice file close open path exec ioctl", "", inode_lock},
    StateRule{"SD", kDisk, "", "", disk_io},
    StateRule{"D", "", "fork", "", child},  // vfork: until the child calls exec or ends
    StateRule{"D", "", "exit", "", ending},
    StateRule{"D", "coredump_* do_coredump* vfs_coredump* do_exit* exit_mm* do_group_exit*", "", "", ending},
    StateRule{"D", kKernel, "", "", kernel},
    StateRule{"D", "", "map fault", "", address_space},
    StateRule{"D", "n_tty_* tty_*", "", "", terminal_output},

    // A signal ends these: the call and its descriptor say what is waited for.
    StateRule{"S", "__break_lease*", "", "", exclusive_lock},
    StateRule{"S", "", "read", "pipe", pipe_read},
    StateRule{"S", "", "read", "unix_socket", unix_read},
    StateRule{"S", "", "read", "inet_socket", inet_read},
    StateRule{"S", "", "read", "other_socket", other_read},
    StateRule{"S", "", "read", "terminal", terminal_input},
    StateRule{"S", "", "read", "signalfd", signal},
    StateRule{"S", "", "read", "timerfd", sleep},
    StateRule{"S", "", "read", "eventfd epoll notifier io_uring device", event},
    StateRule{"S", "", "write", "pipe", pipe_write},
    StateRule{"S", "", "write", "unix_socket", unix_write},
    StateRule{"S", "", "write", "inet_socket", inet_write},
    StateRule{"S", "", "write", "other_socket", other_write},
    StateRule{"S", "", "write", "terminal", terminal_output},
    StateRule{"S", "", "write", "eventfd notifier device", event},
    StateRule{"S", "wait_for_space* opipe_prep*", "splice", "", pipe_write},
    StateRule{"S", "", "splice", "pipe", pipe_read},
    StateRule{"S", "", "splice", "unix_socket", unix_read},
    StateRule{"S", "", "splice", "inet_socket", inet_read},
    StateRule{"S", "wait_for_partner* fifo_open*", "open", "", pipe_read},
    StateRule{"S", "tty_*", "open", "", terminal_input},
    StateRule{"S", "inet_* tcp_* sk_stream_wait_close*", "close", "", inet_write},
    StateRule{"S", "", "poll", "terminal", terminal_input},
    StateRule{"S", "", "poll epoll", "", select},
    StateRule{"S", "", "sleep", "", sleep},
    StateRule{"S", "", "signal", "", signal},
    StateRule{"S", "", "child", "", child},
    StateRule{"S", "", "futex", "", futex},
    StateRule{"S", "", "semaphore", "", semaphore},
    StateRule{"S", "", "message_queue", "", message_queue},
    StateRule{"S", "", "lock_shared", "", shared_lock},
    StateRule{"S", "", "lock_exclusive", "", exclusive_lock},
    StateRule{"S", "", "io_uring", "", io_uring},
    StateRule{"S", "", "io_events", "", disk_io},
    StateRule{"S", "", "ioctl", "terminal", terminal_output},
    StateRule{"S", "", "ioctl", "notifier device", event},
    StateRule{"S", "", "fork", "", child},
    StateRule{"S", "seccomp_*", "", "", supervisor},

    // The call is not known: that of another architecture's programs.
    StateRule{"S", "hrtimer_nanosleep* do_nanosleep* common_nsleep* schedule_hrtimeout* alarm_timer_nsleep*", "", "",
              sleep},
    StateRule{"S", "poll_schedule_timeout* do_poll* do_sys_poll* do_select* do_epoll_wait* ep_poll*", "", "", select},
    StateRule{"S", "futex_*", "", "", futex},
    StateRule{"S", "do_wait* kernel_wait*", "", "", child},
    StateRule{"S", "*_sys_pause do_sigtimedwait* sigsuspend*", "", "", signal},
    StateRule{"S", "pipe_read* anon_pipe_read* fifo_pipe_read*", "", "", pipe_read},
    StateRule{"S", "pipe_write* anon_pipe_write* fifo_pipe_write*", "", "", pipe_write},
    StateRule{"S", "unix_stream_read_*", "", "", unix_read},
    StateRule{"S", "inet_csk_accept* sk_wait_data*", "", "", inet_read},
    StateRule{"S", "n_tty_read*", "", "", terminal_input},
    StateRule{"S", "n_tty_write* tty_wait_until_sent*", "", "", terminal_output},
    StateRule{"S", "locks_lock_inode_wait* fcntl_setlk*", "", "", exclusive_lock},
    StateRule{"S", "do_semtimedop* __do_semtimedop*", "", "", semaphore},
    StateRule{"S", "do_msgrcv* do_msgsnd* wq_sleep*", "", "", message_queue},
};

bool fits(std::string_view pattern, std::string_view name) {
  const bool open_begin = pattern.starts_with("*"), open_end = pattern.ends_with("*");
  if (open_begin) pattern.remove_prefix(1);
  if (open_end) pattern.remove_suffix(1);
  if (open_begin) return name.ends_with(pattern);
  if (open_end) return name.starts_with(pattern);
  return name == pattern;
}

bool is_in_list(std::string_view list, std::string_view name) {
  if (list.empty()) return true;
  if (name.empty()) return false;
  while (!list.empty()) {
    const auto end = list.find(' ');
    if (fits(list.substr(0, end), name)) return true;
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return false;
}

// The compiler's copies of a function have its name with a suffix: "poll_schedule_timeout.constprop.0".
std::string_view without_suffix(std::string_view function) { return function.substr(0, function.find('.')); }

}  // namespace

std::optional<State> state_of(const Evidence& evidence) {
  const std::string_view wchan = without_suffix(evidence.wchan);
  const std::string_view word = evidence.locks_shared ? "lock_shared" : word_of(evidence.call);
  const std::string_view descriptor = name_of(evidence.descriptor);
  for (const auto& rule : kRules) {
    if (rule.letters.find(evidence.letter) == std::string_view::npos) continue;
    if (is_in_list(rule.wchans, wchan) && is_in_list(rule.calls, word) && is_in_list(rule.descriptors, descriptor))
      return rule.state;
  }
  return std::nullopt;
}

}  // namespace dpm::sampling
