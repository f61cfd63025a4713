// What the page can ask, and the answers. Written from view/answers/request_table.hpp by tests/view/answers
// (./dev bless answers): change it there.

export type ProcessId = number;

// Arrays beside the JSON: of the type that their name tells from a server, lists in a file.
export type Numbers = ArrayLike<number> & Iterable<number>;
export type f64 = Numbers;
export type f32 = Numbers;
export type u32 = Numbers;
export type u8 = Numbers;

export interface SeriesOf {
  what: 'cpu' | 'sent' | 'received' | 'sent_bytes' | 'received_bytes' | 'waiting' | 'queue' | 'messages' | 'bytes' | 'load' | 'memory' | 'swap' | 'faults' | 'swapped' | 'disk_read' | 'disk_written' | 'disk_busy';
  process?: ProcessId;
  machine?: number;
  from?: ProcessId;
  to?: ProcessId;
}

export interface MachineChange { speed?: number; cores?: number; }

export interface AsOf { events: number; to_s: number; state: 'recording' | 'ended' | 'cut off'; is_final: boolean; working?: number; }

export interface Stamped { as_of: AsOf; }

export interface Machine { id: number; name: string; speed: number; cores: number; accepts: boolean; summaries: boolean; }

export interface Process {
  id: ProcessId;
  name: string;
  program: string;
  machine: number | null;
  pid: number;
  group: ProcessId | null;
  cgroup: string;
  in_computation: boolean;
  outside: boolean;
}

export interface Can { predict: boolean; follow: boolean; live_queues: boolean; }

export interface WhyNot { predict?: string; live_queues?: string; }

export interface Description {
  title: string;
  source: string;
  state: 'recording' | 'ended' | 'cut off';
  started: number | null;
  now_s: number;
  version: number;
  dpm: string;
  machines: Machine[];
  processes: Process[];
  common_time: boolean;
  can: Can;
  why_not: WhyNot;
  read: number;
}

export interface Loss { reason: string; events: number; }

export interface RunLedger { seen: number; kept: number; filtered: number; lost: number; losses: Loss[]; text: string; }

export interface Warning { text: string; advice: string; }

export interface Move { process: string; from: string; to: string; }

export interface Gain { expected: number | null; low: number | null; high: number | null; }

export interface Decision { at_s: number | null; moves: Move[]; predicted_gain: Gain | null; measured_gain: number | null; outcome: string; reason: string; }

export interface Schedule { policy: string; places: string[]; dry_run: boolean; decisions: number; journal: Decision[]; }

export interface Overview {
  P_now: number | null;
  P_run: number | null;
  P_best: number | null;
  P_best_as_of: AsOf | null;
  P_method: string;
  cpu_s: number;
  cpu_all_s: number;
  messages: number;
  bytes: number;
  step_s: number;
  queued: number | null;
  processes_running: number;
  elapsed_s: number;
  ledger: RunLedger;
  warnings: Warning[];
  schedule?: Schedule | null;
  t_s: f64;
  P_of: f64;
  P_best_of: f64;
  messages_of: f64;
  bytes_of: f64;
  queued_of: f64;
}

export interface Traffic {
  span_s: number;
  before_span_s: number;
  process: u32;
  cpu_s: f64;
  waiting_s: f64;
  queue: f64;
  from: u32;
  to: u32;
  messages: f64;
  bytes: f64;
  before_messages: f64;
  before_bytes: f64;
}

export interface Series { step_s: number; t_s: f64; [name: `v${number}`]: f64; }

export interface ProcessLevels { process: ProcessId; at: number[]; cpu_s: number[]; waiting_s: number[]; queue?: number[]; }

export interface PairLevels { from: ProcessId; to: ProcessId; at: number[]; messages: number[]; bytes: number[]; }

export interface MachineLevels {
  machine: number;
  load: (number | null)[];
  memory: (number | null)[];
  swap: (number | null)[];
  faults: (number | null)[];
  swapped: (number | null)[];
  disk_read: (number | null)[];
  disk_written: (number | null)[];
  disk_busy: (number | null)[];
}

export interface Levels {
  from_s: number;
  step_s: number;
  bins: number;
  processes: ProcessLevels[];
  pairs: PairLevels[];
  P_best: (number | null)[];
  machines?: MachineLevels[];
}

export interface Row { process: ProcessId; machine: number | null; }

export interface InsideEvent { action: string; object: string; function: string; }

export interface SingleEvents {
  exact: true;
  rows: Row[];
  rows_left_out: number;
  arcs_left_out: number;
  seg_row: u32;
  seg_kind: u8;
  seg_from: f64;
  seg_to: f64;
  seg_critical: u8;
  arc_from: u32;
  arc_to: u32;
  arc_sent: f64;
  arc_received: f64;
  arc_bytes: f64;
  arc_kind: u8;
  arc_critical: u8;
  arc_id: f64;
  inside_events?: InsideEvent[];
  inside_row?: u32;
  inside_event?: u32;
  inside_t?: f64;
  inside_value?: f64;
}

export interface BinnedEvents {
  exact: false;
  rows: Row[];
  rows_left_out: number;
  arcs_left_out: number;
  bin_row: u32;
  bin_from: f64;
  bin_to: f64;
  bin_work: f32;
  bin_wait: f32;
  flow_from: u32;
  flow_to: u32;
  flow_t: f64;
  flow_messages: f64;
}

export interface Message {
  from: ProcessId;
  to: ProcessId;
  bytes: number;
  sent_s: number;
  received_s: number;
  evidence: string;
  past: number[];
  future: number[];
  past_left_out: number;
  future_left_out: number;
}

export interface EventAt { at_s: number; type: string; index: number; }

export interface Computing { computing: number; }

export interface Ledger { seen: number; kept: number; filtered: number; lost: number; losses: Loss[]; warnings: string[]; removed?: number; }

export interface Waits { count: number; waited_s: number; }

export interface ProcessStatistics {
  process: string;
  program: string;
  machine: string;
  in_computation: boolean;
  cpu_s: number;
  cpu_percent: number;
  sent: number;
  sent_percent: number;
  sent_bytes: number;
  sent_bytes_percent: number;
  received: number;
  received_bytes: number;
  sent_local: number;
  sent_remote: number;
  events: Record<string, number>;
  cgroup?: string;
  ready_s?: number;
  disk_s?: number;
  waits?: Record<string, Waits>;
}

export interface PairStatistics {
  from: string;
  to: string;
  count: number;
  bytes: number;
  mean_bytes: number;
  data_count: number;
  remote: number;
  counted_by: 'SEND' | 'RECEIVE';
}

export interface Sizes { bytes_at_least: number; count: number; share: number; }

export interface Density { from_ns: number; width_ns: number; messages: number[]; }

export interface MachineStatistics { machine: string; sent: number; sent_bytes: number; messages_per_second: number; density: Density; }

export interface QuantitySums { quantity: string; count: number; mean: number; least: number; most: number; last: number; total: number | null; }

export interface MachineSums { machine: string; covered_s: number; quantities: QuantitySums[]; }

export interface Statistics {
  processes: ProcessStatistics[];
  messages: PairStatistics[];
  sizes: Sizes[];
  machines: MachineStatistics[];
  local: number;
  remote: number;
  events: number;
  warnings: string[];
  ledger: Ledger;
  summaries?: MachineSums[];
}

export interface Bucket { from_s: number; to_s: number; count: number; }

export interface WaitParts { total_s: number; message_s: number; cpu_s: number; disk_s: number; ran_s: number; other_s: number; }

export interface MeasuredQueue {
  process: string;
  measured: true;
  received: number;
  queued: number;
  queue_max: number;
  queue_mean: number;
  queue_mean_by_operation: number;
  queue_distribution: number[];
  wait_min_s: number;
  wait_mean_s: number;
  wait_median_s: number;
  wait_p95_s: number;
  wait_max_s: number;
  wait_distribution: Bucket[];
  still_queued: number;
  waits_across_machines: number;
  messages_waited?: WaitParts;
}

export interface UnmeasuredQueue { process: string; measured: false; received: number; }

export interface OwnWaits { process: string; waits_for_messages: number; to_receive: WaitParts; at_work: WaitParts; }

export interface Queues { processes: (MeasuredQueue | UnmeasuredQueue)[]; own_waits: OwnWaits[]; warnings: string[]; ledger: Ledger; }

export interface ParallelRun { T_s: number; elapsed_s: number; P: number; }

export interface ParallelStep { T_s: number; t_max_s: number; P: number; }

export interface MachineLoad {
  machine: string;
  known_from: string;
  cpu_s: number;
  other_processes: number;
  run_queue_wait_s: number;
  run_queue_wait_for_others_s: number;
}

export interface OtherLoad { T_s: number; t_max_s: number; P: number; machines: MachineLoad[]; }

export interface Overlaps { seconds: number; processes: number; }

export interface PathProcess { process: string; cpu_s: number; sharing_s: number; time_s: number; fraction: number; }

export interface PathMessages { from: string; to: string; count: number; delay_s: number; fraction: number; }

export interface CriticalPath { t_max_s: number; processes: PathProcess[]; messages: PathMessages[]; outside_s: number; outside_fraction: number; }

export interface EfficiencyBlame { process: string | null; seconds: number; receiver?: string; }

export interface EfficiencyFactor { factor: string; value: number; is_low: boolean; P: number; mended_P: number | null; blame: EfficiencyBlame | null; }

export interface Efficiency {
  processors: number;
  T_s: number;
  elapsed_s: number;
  P: number;
  parallel_efficiency: number;
  good_from: number;
  factors: EfficiencyFactor[];
}

export interface Parallelism {
  placement: string;
  method: string;
  as_it_ran: ParallelRun;
  no_delay: ParallelStep;
  delay: ParallelStep;
  delay_cpu: ParallelStep;
  other_load: OtherLoad | null;
  never_overlapped: Overlaps;
  efficiency: Efficiency;
  critical_path: CriticalPath;
  ledger: Ledger;
}

export interface PathCount { path: string; count: number; }

export interface Branching { at: string; from: string; to: string; count: number; probability: number; }

export interface Transition { from: string; to: string; count: number; probability: number; }

export interface Causality {
  letters: Record<string, string>;
  requests: number;
  paths: PathCount[];
  strings: PathCount[];
  branching: Branching[];
  states: Transition[];
  strings_cut: number;
  strings_not_stored: number;
  paths_not_stored: number;
  messages_outside_requests: number;
  warnings: string[];
  ledger: Ledger;
}

export interface StateNode { process: ProcessId | null; label: string; note: string; }

export interface StateArc { from: number; to: number; probability: number; messages: number; }

export interface StateDiagram { nodes: StateNode[]; arcs: StateArc[]; }

export interface CommonPath { text: string; count: number; share: number; }

export interface Paths { states: StateDiagram; paths: CommonPath[]; requests: number; }

export interface Step { from: ProcessId; to: ProcessId; sent_s: number; received_s: number; bytes: number; }

export interface OneRequest { from_s: number; to_s: number; rows: ProcessId[]; steps: Step[]; left_out: number; }

export interface Figure { heading: string; caption: string; wide: boolean; kind: string; drawing: unknown; }

export interface Section { heading: string; text: string; figures: Figure[]; }

export interface CauseTime { cause: string; time_s: number; }

export interface Blame { of: string; causes: CauseTime[]; section: Section; }

export interface SampledStates { samples: number; source: string; interval_s: number; sections: Section[]; }

export interface PlacementMachine { name: string; speed: number; cores: number; accepts: boolean; }

export interface PlacedProcess { process: ProcessId; name: string; machine: string; fixed: boolean; }

export interface Traced { elapsed_s: number; P: number; low_elapsed_s?: number; high_elapsed_s?: number; low_P?: number; high_P?: number; }

export interface Best { machine_of: Record<string, string>; elapsed_s: number; P: number; at_least_s: number; as_of: AsOf; }

export interface Placement {
  machines: PlacementMachine[];
  processes: PlacedProcess[];
  traced: Traced | null;
  best: Best | null;
  notes: string[];
  why_not: string | null;
  searching?: number;
}

export interface Prediction {
  elapsed_s: number;
  P: number;
  T_s: number;
  low_elapsed_s: number | null;
  high_elapsed_s: number | null;
  low_P: number | null;
  high_P: number | null;
  identity_error: number;
  leaves_out: string[];
  took_ms: number;
}

export interface PlacementFile { text: string; }

export interface Search { searching: true; }

export interface Requests {
  describe: { parameters: {}; answer: Description };
  overview: { parameters: { from_s?: number; to_s?: number; width?: number; threads?: boolean; }; answer: Overview };
  traffic: { parameters: { from_s?: number; to_s?: number; threads?: boolean; }; answer: Traffic };
  series: { parameters: { from_s?: number; to_s?: number; width?: number; threads?: boolean; of: SeriesOf[]; }; answer: Series };
  spacetime: { parameters: { from_s?: number; to_s?: number; width?: number; threads?: boolean; rows?: ProcessId[]; rows_max?: number; }; answer: SingleEvents | BinnedEvents };
  message: { parameters: { arc: number; }; answer: Message };
  event_at: { parameters: { process: ProcessId; at_s?: number; direction?: 'before' | 'after'; }; answer: EventAt };
  statistics: { parameters: { from_s?: number; to_s?: number; }; answer: Statistics | Computing };
  queues: { parameters: {}; answer: Queues | Computing };
  parallelism: { parameters: {}; answer: Parallelism | Computing };
  causality: { parameters: {}; answer: Causality | Computing };
  blame: { parameters: { of?: number; from_s?: number; to_s?: number; }; answer: Blame | Computing };
  states: { parameters: {}; answer: SampledStates | Computing };
  paths: { parameters: { most?: number; }; answer: Paths | Computing };
  request: { parameters: { number?: number; }; answer: OneRequest | Computing };
  placement: { parameters: {}; answer: Placement | Computing };
  predict: { parameters: { machine_of?: Record<string, string>; machines?: Record<string, MachineChange>; delay_factor?: number; replicas?: Record<string, number>; interval?: boolean; }; answer: Prediction | Computing };
  placement_file: { parameters: { machine_of?: Record<string, string>; machines?: Record<string, MachineChange>; delay_factor?: number; replicas?: Record<string, number>; }; answer: PlacementFile | Computing };
  search: { parameters: {}; answer: Search | Computing };
  levels: { parameters: { from_s?: number; to_s?: number; width?: number; threads?: boolean; }; answer: Levels };
}

export type RequestName = keyof Requests;
export type Parameters<Name extends RequestName> = Requests[Name]["parameters"];
// Without what of the trace it is of, as a file has it; and with it, as it is asked for.
export type Bare<Name extends RequestName> = Requests[Name]["answer"];
export type Answer<Name extends RequestName> = Bare<Name> & Stamped;
