//! What a check costs: a descriptor of each kind, by the specialised check and by the walk over the table.

use core::ptr::dangling_mut;

use clcu_sys::rules::{Given, Utf16Name};
use divan::{Bencher, black_box};

#[path = "../tests/rules/semaphore.rs"]
mod semaphore;
use semaphore::Descriptor;

fn main() {
    divan::main();
}

#[divan::bench]
fn import_fd(bencher: Bencher<'_, '_>) {
    let (descriptor, given) = (Descriptor::fd(3), Given::default());
    bencher.bench_local(|| black_box(&descriptor).check(black_box(&given)).is_ok());
}

#[divan::bench]
fn import_win32(bencher: Bencher<'_, '_>) {
    let (descriptor, given) = (Descriptor::win32(dangling_mut()), Given::default());
    bencher.bench_local(|| black_box(&descriptor).check(black_box(&given)).is_ok());
}

#[divan::bench]
fn import_win32_by_name(bencher: Bencher<'_, '_>) {
    let name: Vec<u16> = "Global\\a name as long as they usually are\0".encode_utf16().collect();
    let (descriptor, given) = (Descriptor::win32_by_name(Utf16Name::new(&name).unwrap()), Given::default());
    bencher.bench_local(|| black_box(&descriptor).check(black_box(&given)).is_ok());
}

#[divan::bench]
fn import_fd_by_the_table(bencher: Bencher<'_, '_>) {
    let (descriptor, given) = (Descriptor::fd(3), Given::default());
    bencher.bench_local(|| black_box(&descriptor).check_waiving(black_box(&given), &[]).is_ok());
}
