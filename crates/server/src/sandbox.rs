//! The limits of a process that reads one file of a stranger: memory, time and output, and, where the kernel has them, no
//! files, no network and few system calls.
//!
//! Each layer is independent of the others: a kernel without Landlock or seccomp leaves the limits.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
    path_beneath_rules,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter_all_threads};

/// Address space of the process, in bytes: its program, its stacks and what it allocates.
pub const ADDRESS_SPACE_BYTES_MAX: u64 = 640 * 1024 * 1024;
/// Address space of the process that runs OCR, in bytes.
pub const OCR_ADDRESS_SPACE_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Processor time of the process, in seconds.
pub const CPU_S_MAX: u64 = 30;
/// Processor time of the process that runs OCR on one page, in seconds.
pub const OCR_CPU_S_MAX: u64 = 60;
/// Descriptors that the process may have.
const DESCRIPTORS_MAX: u64 = 8;
/// Descriptors that OCR may have.
const OCR_DESCRIPTORS_MAX: u64 = 64;
/// The newest version of Landlock whose restrictions are used.
const LANDLOCK: ABI = ABI::V6;
/// Where programs and their data are.
const PROGRAM_FOLDERS: [&str; 6] = ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/opt"];

/// What a process may do that reads a file itself: compute, and read and write open descriptors.
const READER_CALLS: &[libc::c_long] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_sigaltstack,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getpid,
    libc::SYS_gettid,
    // The end by `abort`.
    libc::SYS_tgkill,
    libc::SYS_rseq,
    libc::SYS_set_robust_list,
    libc::SYS_membarrier,
];

/// What a process that runs OCR must not do.
const OCR_DENIED_CALLS: &[libc::c_long] = &[
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_bpf,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_io_uring_setup,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_pidfd_getfd,
];

/// What the kernel enforces beside the limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Enforcement {
    /// No files and no network.
    pub landlock: bool,
    /// Few system calls.
    pub seccomp: bool,
}

/// Sets the limits of this process. They hold until it ends.
pub fn limit_reader() {
    set(Resource::As, ADDRESS_SPACE_BYTES_MAX);
    set(Resource::Cpu, CPU_S_MAX);
    set(Resource::Nofile, DESCRIPTORS_MAX);
    limit_all();
}

/// Takes files, network and system calls from all threads of this process. Threads that start later fail to start.
#[must_use]
pub fn confine_reader() -> Enforcement {
    let landlock = restrict(&[]);
    let seccomp = filter(READER_CALLS, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow);
    Enforcement { landlock, seccomp: seccomp.is_some_and(|program| apply_filter_all_threads(&program).is_ok()) }
}

/// Sets the limits of this process, and takes what OCR doesn't need: it may read programs, and start the command.
#[must_use]
pub fn confine_ocr(command: &Path) -> Enforcement {
    set(Resource::As, OCR_ADDRESS_SPACE_BYTES_MAX);
    set(Resource::Cpu, OCR_CPU_S_MAX);
    set(Resource::Nofile, OCR_DESCRIPTORS_MAX);
    limit_all();
    let mut readable: Vec<PathBuf> = PROGRAM_FOLDERS.iter().map(PathBuf::from).collect();
    readable.extend(command.parent().filter(|folder| folder.is_absolute()).map(Path::to_owned));
    let landlock = restrict(&readable);
    let seccomp = filter(OCR_DENIED_CALLS, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM as u32));
    Enforcement { landlock, seccomp: seccomp.is_some_and(|program| apply_filter_all_threads(&program).is_ok()) }
}

fn limit_all() {
    // No file grows, and no crash writes one.
    set(Resource::Fsize, 0);
    set(Resource::Core, 0);
}

fn set(resource: Resource, max: u64) {
    // A limit that is lower already stays.
    let _ = setrlimit(resource, Rlimit { current: Some(max), maximum: Some(max) });
}

/// Restricts this thread, and the threads and programs that it starts, to reading these folders. Returns whether the kernel
/// does.
fn restrict(readable: &[PathBuf]) -> bool {
    let restricted = || -> Result<bool, landlock::RulesetError> {
        let rules = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(LANDLOCK))?
            .handle_access(AccessNet::from_all(LANDLOCK))?
            .scope(Scope::from_all(LANDLOCK))?
            .create()?
            .add_rules(path_beneath_rules(readable, AccessFs::from_read(LANDLOCK)))?;
        Ok(rules.restrict_self()?.ruleset != landlock::RulesetStatus::NotEnforced)
    };
    restricted().unwrap_or(false)
}

/// Returns the filter with an action for these calls, and another one for all others.
fn filter(calls: &[libc::c_long], others: SeccompAction, listed: SeccompAction) -> Option<BpfProgram> {
    let arch = if cfg!(target_arch = "aarch64") { TargetArch::aarch64 } else { TargetArch::x86_64 };
    let rules = calls.iter().map(|call| (*call, Vec::new())).collect();
    SeccompFilter::new(rules, others, listed, arch).ok()?.try_into().ok()
}
