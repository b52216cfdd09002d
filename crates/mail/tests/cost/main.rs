//! What the dearest mails of a stranger cost: time and memory are at most linear in the size, for receiving and viewing.
//!
//! Each shape runs in a process of its own, which reports the time that its thread had on a core and the peak of its
//! memory. By default the sizes are small, and the test compares the cost per byte of two sizes, so that neither the
//! machine nor the build matters. `make cost` runs all sizes up to 10 MB in a release build, with absolute bounds.

mod generated;
mod shapes;

use std::{collections::HashMap, env, fmt::Write, fs, process::Command};

use posthouse_mail::{
    auth::AuthDigest,
    extract,
    html::view::{self, HtmlViewError, HtmlViewPolicy},
    parse, report, verification,
};
use rustix::time::{ClockId, clock_gettime};
use shapes::{SHAPES, Shape};

/// Sizes that are compared by default, in bytes.
const SMALL: usize = 50_000;
const LARGE: usize = 4 * SMALL;
/// Sizes of `make cost`, in bytes.
const SIZES: [usize; 4] = [100_000, 1_000_000, 4_000_000, 10_000_000];
/// How much more a byte may cost in the larger mail: far less than the 4 of quadratic work.
const GROWTH_MAX: f64 = 2.2;
/// Work that is too short to compare, in nanoseconds.
const NOISE_NS: u64 = 8_000_000;
/// How often a shape that seems superlinear is measured again.
const TRIES_MORE: usize = 5;
/// Memory for each byte of a mail, and what any mail may need.
const MEMORY_PER_BYTE_MAX: u64 = 16;
const MEMORY_BYTES_MIN: u64 = 4 * 1024 * 1024;
/// Release build: receiving a mail of up to 1 MB, with its size in proportion above that; and viewing any mail.
const RECEIVE_NS_PER_MB_MAX: u64 = 50_000_000;
const VIEW_NS_MAX: u64 = 200_000_000;

const SHAPE: &str = "POSTHOUSE_COST_SHAPE";
const SIZE: &str = "POSTHOUSE_COST_BYTES";
const ALL: &str = "POSTHOUSE_COST";
const REPORT: &str = "cost:";

/// What one mail cost.
#[derive(Debug, Clone, Copy)]
struct Cost {
    receive_ns: u64,
    view_ns: u64,
    peak_bytes: u64,
}

impl Cost {
    fn least(self, other: Self) -> Self {
        Self {
            receive_ns: self.receive_ns.min(other.receive_ns),
            view_ns: self.view_ns.min(other.view_ns),
            peak_bytes: self.peak_bytes.min(other.peak_bytes),
        }
    }

    /// Returns whether this cost of the large mail is explained by its size, given that of the small one.
    fn is_linear_to(self, small: Self) -> bool {
        !is_superlinear(small.receive_ns, self.receive_ns)
            && !is_superlinear(small.view_ns, self.view_ns)
            && self.peak_bytes <= memory_max(LARGE)
    }

    /// Returns whether a mail of this size may cost as much in a release build.
    const fn is_within_bounds(self, size: usize) -> bool {
        self.receive_ns <= RECEIVE_NS_PER_MB_MAX * (size as u64).div_ceil(1_000_000)
            && self.view_ns <= VIEW_NS_MAX
            && self.peak_bytes <= memory_max(size)
    }
}

/// Returns the time that this thread had on a core. `/proc` counts in ticks of up to 4 ms, which is more than most mails
/// cost.
fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).expect("time that has passed");
    seconds * 1_000_000_000 + u64::try_from(time.tv_nsec).expect("time that has passed")
}

/// Returns the peak of the memory of this process.
fn peak_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/status").expect("Linux counts the memory of processes");
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}

/// Does what receiving does with the bytes of a mail. Returns its HTML.
fn receive(raw: &[u8]) -> Option<String> {
    let digest = AuthDigest::of(raw, 1_800_000_000);
    let parsed = parse::parse(raw);
    let new = extract::new_text(parsed.text.as_deref(), parsed.html.as_deref());
    let found = verification::detect(&verification::VerificationInput {
        subject: parsed.subject.as_deref().unwrap_or_default(),
        text: parsed.text.as_deref().filter(|_| !parsed.text_from_html),
        html: parsed.html.as_deref(),
        from: "a@b.example",
    });
    let read = report::read(&parsed, true);
    let resembles = report::resembles_report(&parsed, true);
    std::hint::black_box((digest, new, found, read, resembles));
    parsed.html
}

/// Makes HTML safe to view. Returns the size of the page, or the bound that it is over; `None` without HTML.
fn view_of(html: Option<&str>) -> Option<Result<usize, HtmlViewError>> {
    let policy = HtmlViewPolicy { leave_path: "/leave", images: &HashMap::new(), image_bytes_max: 0 };
    html.map(|html| view::view(html, &policy, &|| false).map(|page| page.len()))
}

/// The process of one shape: does nothing without its variables.
#[test]
fn one_shape() {
    let Ok(name) = env::var(SHAPE) else { return };
    let size = env::var(SIZE).ok().and_then(|size| size.parse().ok()).expect("a size");
    let shape = SHAPES.iter().find(|shape| shape.name == name).expect("a shape");
    let raw = shape.mail(size);
    // The first code of a process builds the tables of words, whatever the mail costs.
    receive(b"Subject: Your code\r\n\r\nYour verification code is 482913.\r\n");
    let (before, start) = (peak_bytes(), cpu_ns());
    let html = receive(&raw);
    let received = cpu_ns();
    let shown = view_of(html.as_deref());
    let viewed = cpu_ns();
    let peak = peak_bytes() - before;
    println!("{REPORT} {} {} {peak} {shown:?}", received - start, viewed - received);
}

fn measured(shape: &Shape, size: usize) -> Cost {
    let exe = env::current_exe().expect("the test binary");
    let output = Command::new(exe)
        .args(["--exact", "one_shape", "--nocapture"])
        .env(SHAPE, shape.name)
        .env(SIZE, size.to_string())
        .output()
        .expect("the process runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| Some(&line[line.find(REPORT)? + REPORT.len()..]));
    let line = line.unwrap_or_else(|| panic!("{}: {text} {}", shape.name, String::from_utf8_lossy(&output.stderr)));
    let mut numbers = line.split_whitespace().map_while(|number| number.parse().ok());
    let mut next = || numbers.next().expect("a number");
    Cost { receive_ns: next(), view_ns: next(), peak_bytes: next() }
}

const fn memory_max(size: usize) -> u64 {
    MEMORY_BYTES_MIN + MEMORY_PER_BYTE_MAX * size as u64
}

/// Returns whether the larger mail cost more than its size explains.
fn is_superlinear(small_ns: u64, large_ns: u64) -> bool {
    let times = (LARGE / SMALL) as f64;
    large_ns > NOISE_NS && large_ns as f64 > times * GROWTH_MAX * small_ns.max(NOISE_NS / 8) as f64
}

/// Compares two sizes. What seems superlinear is measured again, and the least of each size counts: another process may
/// have had the core and its caches.
fn superlinear(shape: &Shape) -> Option<String> {
    let measured = || (measured(shape, SMALL), measured(shape, LARGE));
    let (mut small, mut large) = measured();
    for _ in 0..TRIES_MORE {
        if large.is_linear_to(small) {
            return None;
        }
        let again = measured();
        (small, large) = (small.least(again.0), large.least(again.1));
    }
    (!large.is_linear_to(small)).then(|| format!("{}: {small:?} {large:?}", shape.name))
}

#[test]
fn every_shape_costs_at_most_linear_time_and_memory() {
    if env::var_os(SHAPE).is_some() || env::var_os(ALL).is_some() {
        return;
    }
    assert!(SHAPES.len() >= 60, "{} shapes", SHAPES.len());
    let broken: Vec<String> = SHAPES.iter().filter_map(superlinear).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_shape_and_size_is_within_the_absolute_bounds() {
    if env::var_os(ALL).is_none() {
        return;
    }
    let mut broken = String::new();
    for (shape, size) in SHAPES.iter().flat_map(|shape| SIZES.map(|size| (shape, size))) {
        let mut cost = measured(shape, size);
        // Another process may have had the caches.
        for _ in 0..2 {
            if !cost.is_within_bounds(size) {
                cost = measured(shape, size);
            }
        }
        println!("{:<28} {size:>9} {cost:?}", shape.name);
        if !cost.is_within_bounds(size) {
            let _ = writeln!(broken, "{} at {size}: {cost:?}", shape.name);
        }
    }
    assert!(broken.is_empty(), "{broken}");
}
